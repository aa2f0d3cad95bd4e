package dev.atoll.cli;

import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.SandboxNotFoundException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Opens a space. */
@Command(
    name = "space",
    description = {
      "Open a space, which is a sandbox known by its name, and show it.",
      "A hibernated one wakes. The options beside --create say what a new one should be."
    })
final class SpaceCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "NAME", description = "Name of the space.")
  String name = "";

  @Option(names = "--create", description = "Make it if there is none of that name.")
  boolean create;

  @Mixin LifeSettings life = new LifeSettings();
  @Mixin StateSettings state = new StateSettings();
  @Mixin SandboxSettings settings = new SandboxSettings();

  @Override
  public Integer call() {
    SandboxSpec asked = settings.spec(null, life, state);
    check(asked);
    Sandbox space =
        create ? atoll().spaces().openOrCreate(name, asked) : atoll().spaces().open(name);
    SandboxInfo info = space.info();
    if (json()) {
      stdio().json(info);
    } else {
      SandboxTable.of(info).print(stdio());
    }
    return ExitCode.OK;
  }

  private void check(SandboxSpec asked) {
    boolean nothing = asked.equals(new SandboxSettings().spec(null, false));
    if (nothing) {
      return;
    }
    if (!create) {
      throw new UsageException(
          "the options say what a new space should be", "add --create; atoll update changes one");
    }
    try {
      ExistingSandbox.checkSpace(atoll().sandboxes().handle(name).info(), asked);
    } catch (SandboxNotFoundException e) {
      // It will be made.
    }
  }
}
