package dev.atoll.cli;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Runs the checks. */
@Command(
    name = "test",
    description = {
      "Run all checks of this checkout; needs root, since real sandboxes are started.",
      "The last line is 'N passed, N failed'."
    })
final class TestCommand extends LauncherCommand {
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "unit",
      description = "Only those without real sandboxes.")
  @Nullable String kind;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "ARGUMENT",
      description = "Goes to Maven, such as -Dit.test=NetworkIT.")
  List<String> arguments = new ArrayList<>();
}
