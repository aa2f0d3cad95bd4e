package dev.atoll.cli;

import picocli.CommandLine.Option;

/** A command that prints something, for people or as JSON. */
abstract class ListingCommand extends AtollCommand {
  @Option(
      names = {"-o", "--output"},
      defaultValue = "text",
      paramLabel = "text|json",
      description = "Form of the output; ${DEFAULT-VALUE} by default.")
  OutputForm output = OutputForm.text;

  final boolean json() {
    return output == OutputForm.json;
  }
}
