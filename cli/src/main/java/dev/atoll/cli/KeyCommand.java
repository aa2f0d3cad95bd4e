package dev.atoll.cli;

import picocli.CommandLine.Command;

/** The API keys. */
@Command(
    name = "key",
    description = "Make, list and take back API keys.",
    subcommands = {KeyCreateCommand.class, KeyListCommand.class, KeyRemoveCommand.class})
final class KeyCommand extends AtollCommand {
  @Override
  public Integer call() {
    throw new UsageException("give one of create, ls, rm");
  }
}
