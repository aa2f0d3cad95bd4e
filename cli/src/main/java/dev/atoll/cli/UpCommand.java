package dev.atoll.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Starts the server. */
@Command(
    name = "up",
    description = {
      "Start the server in the background and print its address; run does it by itself.",
      "One that runs an older build is started anew, and its sandboxes go on.",
      "Settings of docs/configuration.md can be given: atoll up --server.port=7071. They hold until it is"
          + " given others or stopped."
    })
final class UpCommand extends LauncherCommand {
  @Option(
      names = {"-q", "--quiet"},
      description = "Do not print the address.")
  boolean quiet;
}
