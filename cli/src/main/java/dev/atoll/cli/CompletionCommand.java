package dev.atoll.cli;

import static java.util.regex.Matcher.quoteReplacement;

import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Prints a completion script for a shell. */
@Command(
    name = "completion",
    description = {
      "Print a completion script.",
      "bash: source <(atoll completion bash)",
      "zsh:  source <(atoll completion zsh)",
      "fish: atoll completion fish | source",
      "The scripts ask the server for the names of sandboxes, if it is up."
    })
final class CompletionCommand extends AtollCommand {
  /** What parameters are called that name a sandbox. */
  private static final Set<String> SANDBOX_LABELS = Set.of("SANDBOX", "WINNER", "FROM", "TO");

  /** Values of an option or parameter in picocli's script: names of enum constants. */
  private static final Pattern VALUES = Pattern.compile("_args=\\(.*?\\)");

  private static final String NO_POSITIONALS = "local positionals=\"\"";
  private static final String SANDBOXES =
      "local positionals=$(\"${COMP_WORDS[0]}\" ls --quiet 2>/dev/null)";

  @Parameters(index = "0", paramLabel = "bash|zsh|fish", description = "The shell.")
  String shell = "";

  @Override
  public Integer call() {
    CommandLine whole = Catalogue.whole(session());
    switch (shell) {
      // picocli's script serves both: under zsh it turns on bash's completion functions.
      case "bash", "zsh" -> stdio().out().print(bash(whole));
      case "fish" -> fish(whole);
      default -> throw new UsageException("the shell is bash, zsh or fish; not " + shell);
    }
    return ExitCode.OK;
  }

  /** picocli's script, with values as they are written and names of sandboxes where they belong. */
  private static String bash(CommandLine whole) {
    String script =
        VALUES
            .matcher(AutoComplete.bash("atoll", whole))
            .replaceAll(values -> quoteReplacement(values.group().toLowerCase(Locale.ROOT)));
    StringBuilder result = new StringBuilder();
    Set<String> taking = new HashSet<>();
    collect("_picocli_atoll", whole, taking);
    for (String function : script.split("(?=\nfunction )", -1)) {
      String name = function.strip().replaceFirst("(?s)^function (\\w+).*", "$1");
      result.append(taking.contains(name) ? function.replace(NO_POSITIONALS, SANDBOXES) : function);
    }
    return result.toString();
  }

  private static void collect(String function, CommandLine command, Set<String> taking) {
    if (takesSandbox(command)) {
      taking.add(function);
    }
    command.getSubcommands().forEach((name, sub) -> collect(function + "_" + name, sub, taking));
  }

  private static boolean takesSandbox(CommandLine command) {
    return command.getCommandSpec().positionalParameters().stream()
        .anyMatch(parameter -> SANDBOX_LABELS.contains(parameter.paramLabel()));
  }

  private static boolean takesSandboxBelow(CommandLine command) {
    return takesSandbox(command)
        || command.getSubcommands().values().stream().anyMatch(CompletionCommand::takesSandbox);
  }

  private void fish(CommandLine whole) {
    stdio().out().println("complete -c atoll -f");
    whole
        .getSubcommands()
        .forEach(
            (name, command) -> {
              String[] description = command.getCommandSpec().usageMessage().description();
              String first = description.length == 0 ? "" : description[0];
              stdio()
                  .out()
                  .println(
                      "complete -c atoll -n __fish_use_subcommand -a "
                          + name
                          + " -d '"
                          + first.replace("'", "\\'")
                          + "'");
              fishSubcommands(name, command);
            });
    String taking =
        whole.getSubcommands().entrySet().stream()
            .filter(entry -> takesSandboxBelow(entry.getValue()))
            .map(Map.Entry::getKey)
            .collect(Collectors.joining(" "));
    stdio()
        .out()
        .println(
            "complete -c atoll -n '__fish_seen_subcommand_from "
                + taking
                + "' -a '(atoll ls --quiet 2>/dev/null)'");
    stdio().out().println("complete -c atoll -n '__fish_seen_subcommand_from run cp' -F");
  }

  private void fishSubcommands(String name, CommandLine command) {
    if (!command.getSubcommands().isEmpty()) {
      stdio()
          .out()
          .println(
              "complete -c atoll -n '__fish_seen_subcommand_from "
                  + name
                  + "' -a '"
                  + String.join(" ", command.getSubcommands().keySet())
                  + "'");
    }
  }
}
