package dev.atoll.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command that prints something, for people or as JSON. */
abstract class ListingCommand extends AtollCommand {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "text|json",
      description = "Form of the output; text by default.")
  @Nullable OutputForm output;

  final boolean json() {
    return (output == null ? session().output() : output) == OutputForm.json;
  }
}
