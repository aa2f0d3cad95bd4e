package dev.atoll.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tries programs that nobody here wrote. */
@Command(
    name = "trials",
    description = {
      "Try programs that nobody here wrote, in real sandboxes.",
      "Packages of PyPI, CPython's own tests, cells of a notebook beside ipykernel, and clients of"
          + " the Model Context Protocol, on a server of its own, beside yours. What a registry that"
          + " cannot be reached would be needed for is skipped. The last line is 'N passed, N failed',"
          + " and the exit code 1 if anything failed; needs root."
    })
final class TrialsCommand extends LauncherCommand {
  @Parameters(
      arity = "0..*",
      paramLabel = "packages|cpython|cells|clients",
      description = "Only these parts; all by default.")
  List<String> parts = List.of();

  @Option(names = "--short", description = "Only a part of each: minutes.")
  boolean brief;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description = "After that nothing more is begun, and the rest is skipped; 90.")
  int minutes;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "text|json",
      description = "json: what came of each try, on standard output at the end.")
  String output = "text";
}
