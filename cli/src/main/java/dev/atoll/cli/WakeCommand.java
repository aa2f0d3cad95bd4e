package dev.atoll.cli;

import dev.atoll.model.SandboxInfo;
import picocli.CommandLine.Command;

/** Brings a sandbox back from disk. */
@Command(name = "wake", description = "Bring back a hibernated sandbox, or let a paused one go on.")
final class WakeCommand extends SandboxCommand {
  @Override
  public Integer call() {
    SandboxInfo info = sandbox().wake();
    if (json()) {
      stdio().json(info);
    }
    return ExitCode.OK;
  }
}
