package dev.atoll.cli;

import dev.atoll.model.SandboxInfo;
import dev.atoll.sdk.Sandbox;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a sandbox go on as one of its forks. */
@Command(
    name = "merge",
    description = {
      "Make a sandbox go on as one of its forks.",
      "It takes over the processes, variables and files of WINNER, which ends with that."
    })
final class MergeCommand extends SandboxCommand {
  @Parameters(index = "1", paramLabel = "WINNER", description = "Id or name of the fork.")
  String winner = "";

  @Option(names = "--destroy-others", description = "End all other forks of the sandbox.")
  boolean destroyOthers;

  @Override
  public Integer call() {
    Sandbox best = atoll().sandboxes().handle(winner);
    SandboxInfo info =
        destroyOthers ? sandbox().mergeAndDestroyOthers(best) : sandbox().merge(best);
    if (json()) {
      stdio().json(info);
    }
    return ExitCode.OK;
  }
}
