package dev.atoll.cli;

import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes a sandbox go back to a state that was kept. */
@Command(
    name = "rewind",
    description = {
      "Make a sandbox go back to what it was.",
      "Without options to before its last run; that needs a sandbox made with --checkpoints.",
      "One that has failed lives again, without options in the newest state that is kept of it."
    })
final class RewindCommand extends SandboxCommand {
  @Option(
      names = "--to",
      paramLabel = "SNAPSHOT",
      description = "To this snapshot or checkpoint, as `atoll tree` shows them.")
  @Nullable String to;

  @Option(
      names = "--steps",
      paramLabel = "N",
      description = "By so many runs; 0: to the newest state that is kept.")
  @Nullable Integer steps;

  @Override
  public Integer call() {
    if (to != null && steps != null) {
      throw new UsageException("give either --to or --steps, not both");
    }
    SandboxInfo info =
        to == null
            ? sandbox().rewind(steps == null ? usualSteps() : steps)
            : sandbox().rewindTo(to);
    if (json()) {
      stdio().json(info);
    }
    return ExitCode.OK;
  }

  private int usualSteps() {
    return sandbox().info().state() == SandboxState.FAILED ? 0 : 1;
  }
}
