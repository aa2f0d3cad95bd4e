package dev.atoll.cli;

import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotState;
import dev.atoll.model.Visible;
import dev.atoll.sdk.SnapshotQuery;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists snapshots. */
@Command(name = "ls", description = "List snapshots, newest first.")
final class SnapshotListCommand extends ListingCommand {
  private static final int NOTE = 40;

  @Option(
      names = {"-s", "--sandbox"},
      paramLabel = "SANDBOX",
      description = "Those of this sandbox, its checkpoints included.")
  @Nullable String sandbox;

  @Option(
      names = {"-a", "--all"},
      description = "Also checkpoints, which were taken after a run.")
  boolean all;

  @Option(
      names = {"-q", "--quiet"},
      description = "Only names, or ids of those without a name.")
  boolean quiet;

  @Option(
      names = {"-l", "--label"},
      paramLabel = "KEY=VALUE",
      description = "Only those with this label.")
  Map<String, String> labels = new LinkedHashMap<>();

  @Override
  public Integer call() {
    List<SnapshotInfo> found = atoll().snapshots().list(this::choose).stream().toList();
    if (json()) {
      stdio().json(found);
    } else if (quiet) {
      found.forEach(s -> stdio().out().println(s.name() == null ? s.id() : s.name()));
    } else {
      table(found).print(stdio());
    }
    return ExitCode.OK;
  }

  private void choose(SnapshotQuery query) {
    labels.forEach(query::label);
    if (sandbox != null) {
      query.sandbox(sandbox);
    }
    if (all) {
      query.automatic(true);
    }
  }

  private static Table table(List<SnapshotInfo> found) {
    Table table =
        new Table("ID", "NAME", "KIND", "SIZE", "OWN", "PARENT", "SANDBOX", "AGE", "NOTE");
    for (SnapshotInfo s : found) {
      table.row(
          s.id(),
          s.name() == null ? "-" : s.name(),
          kind(s),
          Bytes.brief(s.totalBytes()),
          Bytes.brief(s.ownBytes()),
          s.parent() == null ? "-" : s.parent(),
          s.sandbox(),
          Ago.since(s.createdAt()),
          s.note() == null ? "" : Visible.line(s.note(), NOTE));
    }
    return table;
  }

  private static String kind(SnapshotInfo snapshot) {
    String kind = snapshot.kind().wire() + (snapshot.automatic() ? ", checkpoint" : "");
    return snapshot.state() == SnapshotState.READY ? kind : kind + " (being written)";
  }
}
