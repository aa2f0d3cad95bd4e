package dev.atoll.cli;

import picocli.CommandLine.Command;

/** How much projects may have. */
@Command(
    name = "quota",
    description = {
      "Show and set how much of the server a project may take.",
      "Everybody sees the quotas of the own project. Others, and all changes, need the key of an administrator."
    },
    subcommands = {
      QuotaListCommand.class,
      QuotaShowCommand.class,
      QuotaSetCommand.class,
      QuotaClearCommand.class
    })
final class QuotaCommand extends AtollCommand {
  @Override
  public Integer call() {
    throw new UsageException("give one of ls, show, set, clear");
  }
}
