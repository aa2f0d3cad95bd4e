package dev.atoll.cli;

import picocli.CommandLine.Command;

/** The warm pools. */
@Command(
    name = "pool",
    description = "Keep sandboxes ready, and take them.",
    subcommands = {
      PoolCreateCommand.class,
      PoolListCommand.class,
      PoolInfoCommand.class,
      PoolUpdateCommand.class,
      PoolRemoveCommand.class,
      PoolClaimCommand.class
    })
final class PoolCommand extends AtollCommand {
  @Override
  public Integer call() {
    throw new UsageException("give one of create, ls, info, update, rm, claim");
  }
}
