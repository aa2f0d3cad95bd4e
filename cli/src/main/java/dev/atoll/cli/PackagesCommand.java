package dev.atoll.cli;

import picocli.CommandLine.Command;

/** The packages of sandboxes. */
@Command(
    name = "packages",
    description = "Install packages in a sandbox, and list them.",
    subcommands = {PackagesInstallCommand.class, PackagesListCommand.class})
final class PackagesCommand extends AtollCommand {
  @Override
  public Integer call() {
    throw new UsageException("give one of install, ls");
  }
}
