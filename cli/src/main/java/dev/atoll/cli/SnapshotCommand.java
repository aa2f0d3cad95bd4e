package dev.atoll.cli;

import picocli.CommandLine.Command;

/** The snapshots. */
@Command(
    name = "snapshot",
    description =
        "Keep the state of sandboxes; list, show, delete, export and import what was kept.",
    subcommands = {
      SnapshotCreateCommand.class,
      SnapshotListCommand.class,
      SnapshotInfoCommand.class,
      SnapshotRemoveCommand.class,
      SnapshotExportCommand.class,
      SnapshotImportCommand.class
    })
final class SnapshotCommand extends AtollCommand {
  @Override
  public Integer call() {
    throw new UsageException("give one of create, ls, info, rm, export, import");
  }
}
