package dev.atoll.engine;

import dev.atoll.engine.diff.Comparison;
import dev.atoll.engine.diff.Side;
import dev.atoll.engine.quota.Hold;
import dev.atoll.engine.store.SandboxRows;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.StateDiff;
import java.util.Map;
import java.util.Objects;

/** Compares relatives. A snapshot is looked at in a machine that is gone afterwards. */
final class Diffs {
  private final SandboxRows rows;
  private final Registry registry;
  private final Lifecycle lifecycle;
  private final Machines machines;
  private final Origins origins;

  Diffs(
      SandboxRows rows,
      Registry registry,
      Lifecycle lifecycle,
      Machines machines,
      Origins origins) {
    this.rows = rows;
    this.registry = registry;
    this.lifecycle = lifecycle;
    this.machines = machines;
    this.origins = origins;
  }

  /** A state that can be looked at. */
  private record Looked(String tree, Side side, Runnable leave) {}

  StateDiff between(String project, String from, String to) {
    Looked first = look(project, from);
    try {
      Looked second = look(project, to);
      try {
        if (!first.tree().equals(second.tree())) {
          throw new AtollException(
              ErrorCode.NOT_RELATED,
              "%s and %s have no common origin".formatted(from, to),
              "compare forks of one sandbox, or its snapshots",
              Map.of("from", from, "to", to),
              null);
        }
        return Comparison.between(first.side(), second.side());
      } finally {
        second.leave().run();
      }
    } finally {
      first.leave().run();
    }
  }

  private Looked look(String project, String idOrName) {
    SandboxInfo row = rows.find(project, idOrName).orElse(null);
    if (row == null) {
      return visit(project, idOrName);
    }
    LiveSandbox live = registry.require(project, row.id());
    lifecycle.enter(live);
    return new Looked(row.tree(), new Side(row.id(), live.guest(), live.runs()), live::leave);
  }

  private Looked visit(String project, String snapshot) {
    SnapshotRows.Row row = origins.row(project, snapshot);
    Hold hold = registry.holdVisit(project, row.info());
    boolean done = false;
    try {
      Looked looked = visit(row, hold);
      done = true;
      return looked;
    } finally {
      if (!done) {
        hold.close();
      }
    }
  }

  private Looked visit(SnapshotRows.Row row, Hold hold) {
    SnapshotInfo info = row.info();
    try (Origin origin = origins.snapshot(row)) {
      Identity identity =
          new Identity(
              info.id(),
              origin.templateEnv(),
              Identity.limits(info.cpus(), info.memoryMiB(), info.diskMiB(), info.processes()));
      Incarnation visitor = machines.start(origin, identity);
      Side side =
          new Side(
              info.id(),
              Objects.requireNonNull(visitor.guest()),
              Objects.requireNonNull(visitor.runs()));
      return new Looked(
          row.tree(),
          side,
          () -> {
            machines.remove(visitor);
            hold.close();
          });
    }
  }
}
