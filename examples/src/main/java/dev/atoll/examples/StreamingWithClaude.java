package dev.atoll.examples;

import dev.atoll.agents.AgentEvent;
import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.Model;
import dev.atoll.agents.anthropic.AnthropicModel;
import dev.atoll.model.NetworkMode;
import dev.atoll.sdk.Atoll;
import java.util.function.Consumer;

/** A chat that shows the model's words and the program's output while they come. */
final class StreamingWithClaude {
  static final String QUESTION =
      "Fetch the last 10 days of Bitcoin price from api.coingecko.com, compute the daily return,"
          + " and tell me the standard deviation.";

  private StreamingWithClaude() {}

  static void show(Atoll atoll, Model model, Consumer<String> screen) {
    CodeAgent agent =
        CodeAgent.builder(model)
            .sandboxes(atoll, s -> s.network(NetworkMode.PACKAGES).allow("api.coingecko.com"))
            .listener(
                event -> {
                  switch (event) {
                    case AgentEvent.Text text -> screen.accept(text.text());
                    case AgentEvent.Started started ->
                        screen.accept("\n[" + started.call().name() + "]\n");
                    case AgentEvent.Output output -> screen.accept(output.text());
                    default -> {}
                  }
                })
            .build();
    agent.run(QUESTION);
  }

  public static void main(String[] args) {
    Model model =
        AnthropicModel.ofEnvironment(System.getenv())
            .orElseThrow(() -> new MissingKey("ANTHROPIC_API_KEY"));
    show(Atoll.connect(), model, System.out::print);
  }
}
