package dev.atoll.cli;

import dev.atoll.model.SandboxInfo;
import picocli.CommandLine.Command;

/** Let a paused sandbox go on. */
@Command(name = "resume", description = "Let a paused sandbox go on.")
final class ResumeCommand extends SandboxCommand {
  @Override
  public Integer call() {
    SandboxInfo info = sandbox().resume();
    if (json()) {
      stdio().json(info);
    }
    return ExitCode.OK;
  }
}
