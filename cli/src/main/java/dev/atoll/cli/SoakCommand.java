package dev.atoll.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks for what is lost, torn or left behind, for hours if need be. */
@Command(
    name = "soak",
    description = {
      "Look for what is lost, torn or left behind, for hours.",
      "A server is killed again and again under load, and sandboxes are made and ended by the"
          + " thousand, and 10 GB go through slow readers. It is a server of its own, beside yours;"
          + " needs root."
    })
final class SoakCommand extends LauncherCommand {
  @Parameters(
      arity = "0..1",
      paramLabel = "kills|cycles|stream",
      description = "Only one part; all by default.")
  String part = "";

  @Option(names = "--kills", paramLabel = "N", description = "How often it is killed; 200.")
  int kills;

  @Option(names = "--cycles", paramLabel = "N", description = "How many sandboxes; 10000.")
  int cycles;

  @Option(
      names = "--mib",
      paramLabel = "N",
      description = "How much goes through each kind of stream; 2500, about 10 GB in all.")
  int mebibytes;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Choices of an earlier run, which prints it.")
  long seed;
}
