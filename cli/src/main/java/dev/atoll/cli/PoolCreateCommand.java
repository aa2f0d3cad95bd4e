package dev.atoll.cli;

import dev.atoll.model.PoolInfo;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a pool. */
@Command(name = "create", description = "Make a pool and print its id; it fills by itself.")
final class PoolCreateCommand extends ListingCommand {
  @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "A name for it.")
  @Nullable String name;

  @Option(names = "--warm", required = true, paramLabel = "N", description = "How many are ready.")
  int warm;

  @Option(
      names = "--max",
      required = true,
      paramLabel = "N",
      description = "How many there may be, ready and claimed together.")
  int max;

  @Mixin SandboxSettings settings = new SandboxSettings();

  @Override
  public Integer call() {
    PoolInfo made = atoll().pools().create(settings.pool(name, warm, max));
    if (json()) {
      stdio().json(made);
    } else {
      stdio().out().println(made.id());
    }
    return ExitCode.OK;
  }
}
