package dev.atoll.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Deletes secrets. */
@Command(name = "rm", description = "Delete secrets; no request has them from now on.")
final class SecretRemoveCommand extends ListingCommand {
  @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of secrets.")
  List<String> names = new ArrayList<>();

  @Override
  public Integer call() {
    return Removal.of(names, false, atoll().secrets()::delete, this);
  }
}
