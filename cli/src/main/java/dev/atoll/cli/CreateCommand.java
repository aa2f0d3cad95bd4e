package dev.atoll.cli;

import dev.atoll.sdk.Sandbox;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Makes a sandbox and prints its id. */
@Command(name = "create", description = "Make a sandbox and print its id.")
final class CreateCommand extends ListingCommand {
  @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "A name for it.")
  @Nullable String name;

  @Mixin LifeSettings life = new LifeSettings();
  @Mixin StateSettings state = new StateSettings();
  @Mixin SandboxSettings settings = new SandboxSettings();

  @Override
  public Integer call() {
    Sandbox made = new SandboxCreation(session(), settings.spec(name, life, state)).create();
    if (json()) {
      stdio().json(made.info());
    } else {
      stdio().out().println(made.id());
    }
    return ExitCode.OK;
  }
}
