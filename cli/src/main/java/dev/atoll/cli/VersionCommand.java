package dev.atoll.cli;

import dev.atoll.sdk.Atoll;
import java.util.Map;
import picocli.CommandLine.Command;

/** Prints the version. */
@Command(name = "version", description = "Print the version.")
final class VersionCommand extends ListingCommand {
  @Override
  public Integer call() {
    if (json()) {
      stdio().json(Map.of("version", Atoll.VERSION));
    } else {
      stdio().out().println("atoll " + Atoll.VERSION);
    }
    return ExitCode.OK;
  }
}
