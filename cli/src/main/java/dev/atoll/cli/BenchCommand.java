package dev.atoll.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures. */
@Command(name = "bench", description = "Measure this machine, beside raw runsc.")
final class BenchCommand extends LauncherCommand {
  @Option(names = "--runs", paramLabel = "N", description = "Measurements of each kind; 20.")
  int runs;

  @Option(names = "--many", paramLabel = "N", description = "Sandboxes at the same time; 50.")
  int many;

  @Option(names = "--json", paramLabel = "FILE", description = "Where the numbers go.")
  String json = "";

  @Option(
      names = "--only",
      paramLabel = "PART",
      description =
          "Only one part: foundation, state, forks, bars, network, imports, packages, neighbours or"
              + " idle.")
  String only = "";

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long neighbours are attacked; 300.")
  int seconds;

  @Option(
      names = "--other-runsc",
      paramLabel = "FILE",
      description = "Measure this runsc too, beside the server's; for state, forks and bars.")
  String otherRunsc = "";
}
