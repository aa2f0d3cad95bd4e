package dev.atoll.cli;

import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.Visible;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows a snapshot. */
@Command(name = "info", description = "Show a snapshot.")
final class SnapshotInfoCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "SNAPSHOT", description = "Id or name of the snapshot.")
  String snapshot = "";

  @Override
  public Integer call() {
    SnapshotInfo info = atoll().snapshots().get(snapshot);
    if (json()) {
      stdio().json(info);
    } else {
      table(info).print(stdio());
    }
    return ExitCode.OK;
  }

  private static Table table(SnapshotInfo info) {
    Table table = new Table("SNAPSHOT", info.id());
    table.row("name", info.name() == null ? "-" : info.name());
    table.row("kind", info.kind().wire() + (info.automatic() ? ", checkpoint" : ""));
    table.row("state", info.state().wire());
    table.row("sandbox", info.sandbox());
    table.row("parent", info.parent() == null ? "-" : info.parent());
    table.row("template", info.template());
    table.row("isolation", info.isolation().wire() + " (" + info.driver() + ")");
    table.row("driver version", info.driverVersion());
    table.row("limits", limits(info));
    table.row(
        "size", Bytes.brief(info.totalBytes()) + ", " + Bytes.brief(info.ownBytes()) + " own");
    table.row("created", info.createdAt().toString());
    info.labels().forEach((key, value) -> table.row("label " + key, value));
    if (info.note() != null) {
      table.row("note", Visible.line(info.note(), Integer.MAX_VALUE));
    }
    return table;
  }

  private static String limits(SnapshotInfo info) {
    return SandboxTable.limits(info.cpus(), info.memoryMiB(), info.diskMiB(), info.processes());
  }
}
