package dev.atoll.cli;

import dev.atoll.sdk.Atoll;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code atoll} itself. */
@Command(
    name = "atoll",
    description = "Sandboxes for AI agents, on your own machine.",
    version = "atoll " + Atoll.VERSION,
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "The launcher adds: up, down, test. Try: atoll run -c 'print(6*7)'"})
final class RootCommand extends AtollCommand {
  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  boolean version;

  @Override
  public Integer call() {
    throw new UsageException("which command? See atoll --help");
  }
}
