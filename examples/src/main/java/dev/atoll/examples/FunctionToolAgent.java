package dev.atoll.examples;

import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.Model;
import dev.atoll.agents.openai.OpenAiResponsesModel;
import dev.atoll.model.NetworkMode;
import dev.atoll.sdk.Atoll;

/** The shortest form: an agent with a function tool, its loop, its sandbox, in one expression. */
final class FunctionToolAgent {
  static final String QUESTION =
      "Calculate the compound annual growth rate if revenue grew from $1M to $3.2M over 5 years.";

  private FunctionToolAgent() {}

  static String answer(Atoll atoll, Model model) {
    return CodeAgent.builder(model)
        .sandboxes(atoll, s -> s.memoryMiB(512).network(NetworkMode.NONE))
        .tools("run_code")
        .moreInstructions("You are a data analyst. Never calculate or guess yourself.")
        .build()
        .run(QUESTION)
        .answer();
  }

  public static void main(String[] args) {
    Model model =
        OpenAiResponsesModel.ofEnvironment(System.getenv())
            .orElseThrow(() -> new MissingKey("OPENAI_API_KEY"));
    System.out.println(answer(Atoll.connect(), model));
  }
}
