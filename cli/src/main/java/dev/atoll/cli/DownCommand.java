package dev.atoll.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Stops the server. */
@Command(name = "down", description = "Stop the server; sandboxes go on, and up finds them again.")
final class DownCommand extends LauncherCommand {
  @Option(
      names = "--all",
      description = "End all sandboxes first, and stop services, which stay deployed.")
  boolean all;
}
