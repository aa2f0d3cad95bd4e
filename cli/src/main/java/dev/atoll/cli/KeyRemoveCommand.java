package dev.atoll.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Takes keys back. */
@Command(name = "rm", description = "Take keys back; they stop working at once.")
final class KeyRemoveCommand extends AtollCommand {
  @Parameters(arity = "1..*", paramLabel = "ID", description = "Ids as `atoll key ls` shows them.")
  List<String> ids = new ArrayList<>();

  @Override
  public Integer call() {
    ids.forEach(atoll().keys()::revoke);
    return ExitCode.OK;
  }
}
