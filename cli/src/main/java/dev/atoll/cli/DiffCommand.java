package dev.atoll.cli;

import dev.atoll.model.StateDiff;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what differs between two relatives. */
@Command(
    name = "diff",
    description = {
      "Show what TO has changed compared with FROM: files and variables.",
      "Each is a sandbox, by id or name, or a snapshot, by id."
    })
final class DiffCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "FROM", description = "What to compare with.")
  String from = "";

  @Parameters(index = "1", paramLabel = "TO", description = "What to look at.")
  String to = "";

  @Option(names = "--stat", description = "Only names and sizes.")
  boolean stat;

  @Override
  public Integer call() {
    StateDiff diff = atoll().diff(from, to);
    if (json()) {
      stdio().json(diff);
      return ExitCode.OK;
    }
    DiffPrinter printer = new DiffPrinter(stdio());
    if (stat) {
      printer.names(diff);
    } else {
      printer.content(diff);
    }
    if (diff.truncated()) {
      stdio().message("more files differ than are shown");
    }
    return ExitCode.OK;
  }
}
