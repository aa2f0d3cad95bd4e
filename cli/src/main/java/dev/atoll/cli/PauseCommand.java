package dev.atoll.cli;

import dev.atoll.model.SandboxInfo;
import picocli.CommandLine.Command;

/** Freeze a sandbox in memory; it uses no CPU until it is resumed. */
@Command(
    name = "pause",
    description = "Freeze a sandbox in memory; it uses no CPU until it is resumed.")
final class PauseCommand extends SandboxCommand {
  @Override
  public Integer call() {
    SandboxInfo info = sandbox().pause();
    if (json()) {
      stdio().json(info);
    }
    return ExitCode.OK;
  }
}
