package dev.atoll.examples;

import dev.atoll.agents.AgentSession;
import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.Model;
import dev.atoll.agents.Outcome;
import dev.atoll.agents.openai.OpenAiChatModel;
import dev.atoll.sdk.Atoll;
import java.nio.charset.StandardCharsets;

/**
 * An agent that debugs itself: the traceback goes back to the model, which mends the code, in the
 * same sandbox with the same variables.
 */
final class SelfCorrectingAgent {
  static final String QUESTION = "Read the CSV at /tmp/sales.csv and report total revenue.";
  private static final String SALES = "month,units,price\nJanuary,10,2.5\nFebruary,20,3.0\n";

  private SelfCorrectingAgent() {}

  static Outcome answer(Atoll atoll, Model model) {
    CodeAgent agent = CodeAgent.builder(model).sandboxes(atoll, s -> {}).build();
    try (AgentSession session = agent.open()) {
      byte[] csv = SALES.getBytes(StandardCharsets.UTF_8);
      session.workspace().write("/tmp/sales.csv", csv, false);
      return session.ask(QUESTION);
    }
  }

  public static void main(String[] args) {
    Model model =
        OpenAiChatModel.ofEnvironment(System.getenv())
            .orElseThrow(() -> new MissingKey("OPENAI_API_KEY"));
    System.out.println(answer(Atoll.connect(), model).answer());
  }
}
