package dev.atoll.examples;

import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.Model;
import dev.atoll.agents.anthropic.AnthropicModel;
import dev.atoll.agents.tools.Workspace;
import dev.atoll.sdk.Atoll;

/** Sandboxes that wait for their agent, so that a user does not wait for a sandbox. */
final class WarmPool {
  static final String QUESTION = "How much is 2 ** 64?";

  private WarmPool() {}

  static String answer(Atoll atoll, Model model, String pool) {
    return CodeAgent.builder(model)
        .workspaces(() -> Workspace.of(atoll.pools().claim(pool)))
        .build()
        .run(QUESTION)
        .answer();
  }

  public static void main(String[] args) {
    Atoll atoll = Atoll.connect();
    atoll.pools().create(p -> p.name("agents").template("python").warm(2).max(20));
    Model model =
        AnthropicModel.ofEnvironment(System.getenv())
            .orElseThrow(() -> new MissingKey("ANTHROPIC_API_KEY"));
    System.out.println(answer(atoll, model, "agents"));
  }
}
