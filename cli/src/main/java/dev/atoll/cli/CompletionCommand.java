package dev.atoll.cli;

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
      "fish: atoll completion fish | source"
    })
final class CompletionCommand extends AtollCommand {
  @Parameters(index = "0", paramLabel = "bash|zsh|fish", description = "The shell.")
  String shell = "";

  @Override
  public Integer call() {
    CommandLine whole = Catalogue.whole(session());
    switch (shell) {
      // picocli's script serves both: under zsh it turns on bash's completion functions.
      case "bash", "zsh" -> stdio().out().print(AutoComplete.bash("atoll", whole));
      case "fish" -> fish(whole);
      default -> throw new UsageException("the shell is bash, zsh or fish; not " + shell);
    }
    return ExitCode.OK;
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
    stdio()
        .out()
        .println(
            "complete -c atoll -n '__fish_seen_subcommand_from rm info exec shell ps logs kill"
                + " update pause resume fork merge diff rewind tree hibernate wake space network audit ports open forward share' -a '(atoll ls --quiet 2>/dev/null)'");
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
