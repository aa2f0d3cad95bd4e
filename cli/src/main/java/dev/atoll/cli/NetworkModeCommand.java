package dev.atoll.cli;

import dev.atoll.model.NetworkInfo;
import dev.atoll.model.NetworkMode;
import dev.atoll.sdk.SandboxNetwork;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Changes the mode and leaves the rules. */
@Command(name = "mode", description = "Change how much a sandbox may reach; its rules stay.")
final class NetworkModeCommand extends SandboxCommand {
  @Parameters(
      index = "1",
      paramLabel = "none|packages|allowlist|open",
      converter = NetworkModeConverter.class,
      description = "Nothing, package registries, only what is allowed, or all that is public.")
  NetworkMode mode = NetworkMode.PACKAGES;

  @Override
  public Integer call() {
    SandboxNetwork network = sandbox().network();
    NetworkInfo changed = network.set(network.info().policy().withMode(mode));
    if (json()) {
      stdio().json(changed);
    }
    return ExitCode.OK;
  }
}
