package dev.atoll.cli;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** What a shell can offer for the value of an option or for a parameter. */
sealed interface CompletionValues {
  /** Names that the server knows, printed by a command. */
  record Names(String command) implements CompletionValues {}

  /** Words that are known beforehand. */
  record Words(List<String> words) implements CompletionValues {}

  /** A file of this machine. */
  record Files() implements CompletionValues {}

  /** A file of this machine, or a sandbox and a colon. */
  record Places() implements CompletionValues {}

  /** Anything; there is nothing to offer. */
  record Anything() implements CompletionValues {}

  Names SANDBOXES = new Names("ls --quiet");
  Names SNAPSHOTS = new Names("snapshot ls --quiet");
  Names TEMPLATES = new Names("templates --quiet");

  static CompletionValues of(ArgSpec argument) {
    String label = argument.paramLabel();
    String name = argument instanceof OptionSpec option ? option.longestName() : "";
    if (argument.completionCandidates() != null) {
      return new Words(
          StreamSupport.stream(argument.completionCandidates().spliterator(), false)
              .map(word -> word.toLowerCase(Locale.ROOT))
              .toList());
    }
    if (label.matches("[a-z]+(\\|[a-z]+)+")) {
      return new Words(List.of(label.split("\\|", -1)));
    }
    if (name.equals("--sandbox") || Set.of("SANDBOX", "WINNER", "FROM", "TO").contains(label)) {
      return SANDBOXES;
    }
    if (label.equals("SNAPSHOT")) {
      return SNAPSHOTS;
    }
    if (name.equals("--template") || label.equals("TEMPLATE") || label.startsWith("NAME[@")) {
      return TEMPLATES;
    }
    if (Set.of("SOURCE", "TARGET", "SANDBOX:PATH").contains(label)) {
      return new Places();
    }
    boolean file =
        Set.of("FILE", "FILE|NAME", "DIR", "DIRECTORY", "FOLDER", "PATH").contains(label);
    return file ? new Files() : new Anything();
  }
}
