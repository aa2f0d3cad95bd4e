package dev.atoll.cli;

import picocli.CommandLine.Command;

/** What others may do with files of sandboxes. */
@Command(
    name = "files",
    description = "Let others read or write single files of a sandbox by URLs.",
    subcommands = {FilesUrlCommand.class, FilesRevokeCommand.class})
final class FilesCommand extends AtollCommand {
  @Override
  public Integer call() {
    throw new UsageException("give one of url, revoke");
  }
}
