package dev.atoll.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Brings a backup back. */
@Command(
    name = "restore",
    description = "Bring a backup back, to a data directory in which nothing was kept yet.")
final class RestoreCommand extends LauncherCommand {
  @Parameters(index = "0", paramLabel = "FILE", description = "What backup has written.")
  String file = "";
}
