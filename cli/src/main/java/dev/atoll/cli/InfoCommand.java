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
    Table table = new Table("SANDBOX", info.id());
    table.row("name", info.name() == null ? "-" : info.name());
    table.row("state", info.state().wire() + (info.reason() == null ? "" : ": " + info.reason()));
    table.row("template", info.template());
    table.row("isolation", info.isolation().wire() + " (" + info.driver() + ")");
    table.row("limits", limits(info));
    table.row("persistent", info.persistent() ? "yes" : "no");
    table.row("created", info.createdAt().toString());
    table.row("expires", info.expiresAt() == null ? "-" : info.expiresAt().toString());
    info.metadata().forEach((key, value) -> table.row("metadata " + key, value));
    if (info.state() == SandboxState.RUNNING) {
      table.row("uses", usage(handle.stats()));
    }
    table.print(stdio());
    return ExitCode.OK;
  }

  private static String limits(SandboxInfo info) {
    return info.cpus()
        + " CPUs, "
        + info.memoryMiB()
        + " MiB memory, "
        + info.diskMiB()
        + " MiB disk, "
        + info.processes()
        + " processes";
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
