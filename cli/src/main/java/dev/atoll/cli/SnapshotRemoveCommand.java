package dev.atoll.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Deletes snapshots. */
@Command(name = "rm", description = "Delete snapshots; what was made from them stays.")
final class SnapshotRemoveCommand extends ListingCommand {
  @Parameters(arity = "1..*", paramLabel = "SNAPSHOT", description = "Ids or names.")
  List<String> snapshots = new ArrayList<>();

  @Option(
      names = {"-f", "--force"},
      description = "Do not mind those that are not there.")
  boolean force;

  @Override
  public Integer call() {
    return Removal.of(snapshots, force, atoll().snapshots()::delete, this);
  }
}
