package dev.atoll.cli;

import picocli.CommandLine.Command;

/** What sandboxes may reach. */
@Command(
    name = "network",
    description = "Show and change what a sandbox may reach.",
    subcommands = {
      NetworkShowCommand.class,
      NetworkAllowCommand.class,
      NetworkDenyCommand.class,
      NetworkRemoveCommand.class,
      NetworkModeCommand.class,
      NetworkCeilingCommand.class
    })
final class NetworkCommand extends AtollCommand {
  @Override
  public Integer call() {
    throw new UsageException("give one of show, allow, deny, remove, mode, ceiling");
  }
}
