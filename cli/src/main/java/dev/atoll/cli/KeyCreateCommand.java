package dev.atoll.cli;

import dev.atoll.model.ApiKeyInfo;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a key. */
@Command(name = "create", description = "Make a key and print it; it is not shown again.")
final class KeyCreateCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "What the key is for.")
  String name = "";

  @Option(
      names = "--project",
      paramLabel = "PROJECT",
      description = "Whose key it is; your own by default, another one for administrators.")
  @Nullable String project;

  @Override
  public Integer call() {
    ApiKeyInfo key =
        project == null ? atoll().keys().create(name) : atoll().keys().create(name, project);
    if (json()) {
      stdio().json(key);
    } else {
      stdio().out().println(key.secret());
    }
    return ExitCode.OK;
  }
}
