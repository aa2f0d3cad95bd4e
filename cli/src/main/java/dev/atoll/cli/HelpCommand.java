package dev.atoll.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.UnmatchedArgumentException;

/** Shows the help of all or of one command. */
@Command(name = "help", description = "Show all commands, or how one is used: atoll help fork")
final class HelpCommand extends AtollCommand {
  @Parameters(
      arity = "0..*",
      paramLabel = "COMMAND",
      description = "A command, and its subcommand if it has some.")
  List<String> names = new ArrayList<>();

  @Override
  public Integer call() {
    CommandLine wanted =
        names.isEmpty() ? Catalogue.whole(session()) : Catalogue.obeying(session());
    for (String name : names) {
      CommandLine next = wanted.getSubcommands().get(name);
      if (next == null) {
        throw new UnmatchedArgumentException(wanted, List.of(name));
      }
      wanted = next;
    }
    Ansi ansi = stdio().colour() ? Ansi.ON : Ansi.OFF;
    stdio().out().print(wanted.getUsageMessage(ansi));
    return ExitCode.OK;
  }
}
