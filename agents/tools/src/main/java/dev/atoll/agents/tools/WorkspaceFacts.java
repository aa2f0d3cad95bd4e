package dev.atoll.agents.tools;

import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.NetworkRule;
import dev.atoll.model.SandboxInfo;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What is known of a sandbox and told to a model; all that definitions of tools are made from.
 *
 * @param template by name
 * @param languages that keep variables, its own first; empty when it is not known which
 * @param network what programs may reach
 * @param rewindable by how many runs it can go back; 0 when it keeps no states
 */
public record WorkspaceFacts(
    String template, List<String> languages, NetworkPolicy network, int rewindable) {
  private static final Map<String, List<String>> LANGUAGES =
      Map.of(
          "python", List.of("python", "bash"),
          "node", List.of("javascript", "typescript", "python", "bash"),
          "java", List.of("java", "python", "bash"),
          "agent", List.of("python", "bash", "javascript", "typescript"),
          "code-interpreter", List.of("python", "bash", "javascript", "typescript", "java"));

  /** Checks and copies. */
  public WorkspaceFacts {
    languages = List.copyOf(languages);
    if (rewindable < 0) {
      throw new IllegalArgumentException("rewindable must not be negative: " + rewindable);
    }
  }

  /** Facts of a template in its default form, before there is a sandbox. */
  public static WorkspaceFacts ofTemplate(String template) {
    return new WorkspaceFacts(
        template, LANGUAGES.getOrDefault(template, List.of()), NetworkPolicy.defaults(), 0);
  }

  /** Facts of a sandbox. */
  public static WorkspaceFacts of(SandboxInfo info) {
    int steps = info.checkpoints() == null ? 0 : info.checkpoints().keep();
    WorkspaceFacts facts = ofTemplate(info.template()).withNetwork(info.network());
    return info.checkpoints() != null && info.checkpoints().everyRun()
        ? facts.withRewindable(steps)
        : facts;
  }

  /** The same with other languages. */
  public WorkspaceFacts withLanguages(String... names) {
    return new WorkspaceFacts(template, List.of(names), network, rewindable);
  }

  /** The same with another network. */
  public WorkspaceFacts withNetwork(NetworkPolicy policy) {
    return new WorkspaceFacts(template, languages, policy, rewindable);
  }

  /** The same with so many states to go back to. */
  public WorkspaceFacts withRewindable(int steps) {
    return new WorkspaceFacts(template, languages, network, steps);
  }

  /** The language of code that names none, as a person writes it. */
  String language() {
    String name = languages.isEmpty() ? "code" : languages.get(0);
    return switch (name) {
      case "python" -> "Python";
      case "javascript" -> "JavaScript";
      case "typescript" -> "TypeScript";
      case "java" -> "Java";
      case "bash" -> "Bash";
      default -> name;
    };
  }

  /** One sentence on the network. */
  String networkSentence() {
    String named =
        network.allow().stream().map(NetworkRule::toString).collect(Collectors.joining(", "));
    String besides = named.isEmpty() ? "" : ", and " + named;
    return switch (network.mode()) {
      case NONE -> "There is no network.";
      case PACKAGES ->
          "Of the network only package registries can be reached (pip and npm work)%s."
              .formatted(besides);
      case ALLOWLIST ->
          named.isEmpty()
              ? "There is no network."
              : "Of the network only this can be reached: " + named + ".";
      case OPEN -> "The public internet can be reached.";
    };
  }
}
