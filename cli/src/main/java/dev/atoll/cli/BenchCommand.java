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
      description = "Only one part: foundation, state, forks, network, imports or packages.")
  String only = "";
}
