package dev.atoll.examples;

import dev.atoll.agents.AgentSession;
import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.Model;
import dev.atoll.agents.anthropic.AnthropicModel;
import dev.atoll.sdk.Atoll;
import java.time.Duration;
import java.util.List;

/** One sandbox for a whole conversation: what the first task made, the second finds. */
final class SandboxPerSession {
  static final List<String> QUESTIONS =
      List.of("Load the primes below 100 into a variable.", "How many primes did you load?");

  private SandboxPerSession() {}

  static List<String> answers(Atoll atoll, Model model) {
    CodeAgent agent =
        CodeAgent.builder(model).sandboxes(atoll, s -> s.ttl(Duration.ofMinutes(30))).build();
    try (AgentSession session = agent.open()) {
      return QUESTIONS.stream().map(question -> session.ask(question).answer()).toList();
    }
  }

  public static void main(String[] args) {
    Model model =
        AnthropicModel.ofEnvironment(System.getenv())
            .orElseThrow(() -> new MissingKey("ANTHROPIC_API_KEY"));
    answers(Atoll.connect(), model).forEach(System.out::println);
  }
}
