package dev.atoll.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ends pools. */
@Command(name = "rm", description = "End pools; sandboxes that were claimed live on.")
final class PoolRemoveCommand extends ListingCommand {
  @Parameters(arity = "1..*", paramLabel = "POOL", description = "Ids or names.")
  List<String> pools = new ArrayList<>();

  @Option(
      names = {"-f", "--force"},
      description = "Do not mind those that are not there.")
  boolean force;

  @Override
  public Integer call() {
    return Removal.of(pools, force, atoll().pools()::delete, this);
  }
}
