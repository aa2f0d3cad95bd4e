package dev.atoll.cli;

import picocli.CommandLine.Command;

/** What sandboxes use without seeing it. */
@Command(
    name = "secret",
    description = {
      "Keep secrets, which the server puts into requests of sandboxes on their way out.",
      "Inside a sandbox there is only a placeholder. Give a sandbox its secrets with --secret."
    },
    subcommands = {
      SecretSetCommand.class,
      SecretListCommand.class,
      SecretShowCommand.class,
      SecretRemoveCommand.class
    })
final class SecretCommand extends AtollCommand {
  @Override
  public Integer call() {
    throw new UsageException("give one of set, ls, show, rm");
  }
}
