package dev.atoll.examples;

import dev.atoll.agents.AgentSession;
import dev.atoll.agents.BranchOutcome;
import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.Model;
import dev.atoll.agents.Scorer;
import dev.atoll.agents.anthropic.AnthropicModel;
import dev.atoll.agents.tools.OutputListener;
import dev.atoll.sdk.Atoll;
import java.time.Duration;
import java.util.List;

/**
 * Several ways at once: the data is loaded once, the sandbox forked with it, each branch tries its
 * way, and the conversation goes on in the best one.
 */
final class TreeOfThought {
  static final List<String> STRATEGIES =
      List.of("the mean", "the median", "the last value", "a linear trend", "the maximum");

  private TreeOfThought() {}

  static String winner(Atoll atoll, Model model) {
    CodeAgent agent = CodeAgent.builder(model).sandboxes(atoll, s -> {}).build();
    try (AgentSession session = agent.open()) {
      session.ask("Load the series 3, 5, 7, 9, 11, 13 into the variable `series`.");
      BranchOutcome branches =
          session.branch(
              STRATEGIES.size(),
              branch ->
                  "Predict each value of `series` from those before it by "
                      + STRATEGIES.get(branch - 1)
                      + ". Put the mean absolute error into the variable `error`.",
              smallestError());
      return STRATEGIES.get(branches.winner() - 1);
    }
  }

  /** The highest score wins, so the error counts negatively. */
  static Scorer smallestError() {
    return (outcome, workspace) -> {
      String printed =
          workspace
              .runCode("print(error)", null, Duration.ofSeconds(30), OutputListener.NONE)
              .stdout();
      return -Double.parseDouble(printed.strip());
    };
  }

  public static void main(String[] args) {
    Model model =
        AnthropicModel.ofEnvironment(System.getenv())
            .orElseThrow(() -> new MissingKey("ANTHROPIC_API_KEY"));
    System.out.println("best: " + winner(Atoll.connect(), model));
  }
}
