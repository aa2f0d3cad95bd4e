package dev.atoll.cli;

import dev.atoll.sdk.Sandbox;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a sandbox and prints its id. */
@Command(name = "create", description = "Make a sandbox and print its id.")
final class CreateCommand extends ListingCommand {
  @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "A name for it.")
  @Nullable String name;

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Hard limit on its lifetime, such as 2h.")
  @Nullable Duration ttl;

  @Option(
      names = "--idle-timeout",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "End it when nothing has used it for that long.")
  @Nullable Duration idle;

  @Option(names = "--persistent", description = "Idleness does not end it.")
  boolean persistent;

  @Option(
      names = {"-m", "--metadata"},
      paramLabel = "KEY=VALUE",
      description = "A label.")
  Map<String, String> metadata = new LinkedHashMap<>();

  @Mixin SandboxSettings settings = new SandboxSettings();

  @Override
  public Integer call() {
    Sandbox made =
        new SandboxCreation(session(), settings.spec(name, metadata, ttl, idle, persistent))
            .create();
    if (json()) {
      stdio().json(made.info());
    } else {
      stdio().out().println(made.id());
    }
    return ExitCode.OK;
  }
}
