package dev.atoll.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Ends services. */
@Command(name = "rm", description = "End services; nothing of them is left.")
final class ServiceRemoveCommand extends ListingCommand {
  @Parameters(arity = "1..*", paramLabel = "SERVICE", description = "Ids or names.")
  List<String> services = new ArrayList<>();

  @Option(
      names = {"-f", "--force"},
      description = "Do not mind those that are not there.")
  boolean force;

  @Override
  public Integer call() {
    return Removal.of(services, force, atoll().services()::delete, this);
  }
}
