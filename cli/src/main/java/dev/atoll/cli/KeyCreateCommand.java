package dev.atoll.cli;

import dev.atoll.model.ApiKeyInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Makes a key. */
@Command(name = "create", description = "Make a key and print it; it is not shown again.")
final class KeyCreateCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "What the key is for.")
  String name = "";

  @Override
  public Integer call() {
    ApiKeyInfo key = atoll().keys().create(name);
    if (json()) {
      stdio().json(key);
    } else {
      stdio().out().println(key.secret());
    }
    return ExitCode.OK;
  }
}
