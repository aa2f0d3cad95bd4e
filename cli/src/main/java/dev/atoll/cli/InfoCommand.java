package dev.atoll.cli;

import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SandboxStats;
import dev.atoll.sdk.Sandbox;
import picocli.CommandLine.Command;

/** Shows a sandbox. */
@Command(name = "info", description = "Show a sandbox and what it uses.")
final class InfoCommand extends SandboxCommand {
  @Override
  public Integer call() {
    Sandbox handle = sandbox();
    SandboxInfo info = handle.info();
    if (json()) {
      stdio().json(info);
      return ExitCode.OK;
    }
    Table table = SandboxTable.of(info);
    if (info.state() == SandboxState.RUNNING) {
      table.row("uses", usage(handle.stats()));
    }
    table.print(stdio());
    return ExitCode.OK;
  }

  private static String usage(SandboxStats stats) {
    return (stats.memoryBytes() >> 20)
        + " MiB memory, "
        + (stats.diskBytes() >> 20)
        + " MiB disk, "
        + stats.processes()
        + " processes, "
        + stats.cpuMillis()
        + " ms CPU";
  }
}
