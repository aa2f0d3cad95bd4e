package dev.atoll.engine;

import dev.atoll.engine.quota.Hold;
import dev.atoll.engine.store.SnapshotRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.CheckpointPolicy;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.RewindRequest;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the state after each run of sandboxes that ask for it, and goes back to kept states. */
final class Checkpoints {
  private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
  private static final long PATIENCE_SECONDS = 120;

  private final SnapshotRows rows;
  private final Snapshots snapshots;
  private final Origins origins;
  private final Machines machines;
  private final Registry registry;
  private final Lifecycle lifecycle;

  Checkpoints(
      SnapshotRows rows,
      Snapshots snapshots,
      Origins origins,
      Machines machines,
      Registry registry,
      Lifecycle lifecycle) {
    this.rows = rows;
    this.snapshots = snapshots;
    this.origins = origins;
    this.machines = machines;
    this.registry = registry;
    this.lifecycle = lifecycle;
  }

  /**
   * Before something runs: keeps the first state, so that also the first run can be taken back, and
   * waits for the checkpoint of the run before.
   */
  void beforeRun(LiveSandbox sandbox) {
    CheckpointPolicy policy = sandbox.info().checkpoints();
    if (policy == null || !policy.everyRun()) {
      return;
    }
    settle(sandbox);
    sandbox.lock.lock();
    try {
      if (rows.checkpoints(sandbox.id()).isEmpty()) {
        snapshots.take(
            sandbox, SnapshotRequest.unnamed(), new Snapshots.Cause(null, "before the first run"));
      }
    } finally {
      sandbox.lock.unlock();
    }
  }

  /** After code or a program has ended; must not block, since the agent's reader calls it. */
  void afterRun(LiveSandbox sandbox, String run, String note) {
    CheckpointPolicy policy = sandbox.info().checkpoints();
    if (policy == null || !policy.everyRun()) {
      return;
    }
    CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    CompletableFuture<@Nullable Void> before = sandbox.pendingCheckpoint(done);
    Thread.ofVirtual()
        .name("checkpoint-" + sandbox.id())
        .start(
            () -> {
              try {
                before.join();
                if (!registry.has(sandbox)) {
                  return;
                }
                snapshots.take(sandbox, SnapshotRequest.unnamed(), new Snapshots.Cause(run, note));
                prune(sandbox, policy.keep());
              } catch (RuntimeException e) {
                LOG.warn("no checkpoint of {} after {}: {}", sandbox.id(), run, e.getMessage());
              } finally {
                done.complete(null);
                if (!registry.has(sandbox)) {
                  ended(sandbox.info());
                }
              }
            });
  }

  /**
   * Drops the checkpoints of a sandbox that has ended. Those of one that failed stay until somebody
   * ends it: they may be all that is left of it.
   */
  void ended(SandboxInfo sandbox) {
    if (sandbox.state() != SandboxState.FAILED) {
      forget(sandbox);
    }
  }

  /** Drops the checkpoints of a family, once none of it lives that could go back to them. */
  void forget(SandboxInfo member) {
    String tree = member.tree();
    if (registry.all().stream().noneMatch(living -> tree.equals(living.info().tree()))) {
      rows.checkpointsOfTree(tree).forEach(snapshots::drop);
    }
  }

  /** Drops what a server left that was killed while it forgot. */
  void sweep() {
    rows.abandonedCheckpoints().forEach(snapshots::drop);
  }

  /** Waits until the checkpoint of the last run is written. */
  private static void settle(LiveSandbox sandbox) {
    var _ =
        sandbox
            .pendingCheckpoint()
            .completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS)
            .join();
  }

  private void prune(LiveSandbox sandbox, int keep) {
    List<SnapshotInfo> kept = rows.checkpoints(sandbox.id());
    // One more than asked for: the state before the oldest run that can be taken back.
    kept.stream().skip(keep + 1L).forEach(snapshots::drop);
  }

  /** Goes back to a kept state; the state that is left is not kept. */
  SandboxInfo rewind(LiveSandbox sandbox, RewindRequest request) {
    settle(sandbox);
    SnapshotRows.Row target = target(sandbox.project(), sandbox.info(), request);
    sandbox.lock.lock();
    // One that is hibernated runs afterwards.
    try (Origin origin = origins.snapshot(target);
        Hold _ = registry.hold(sandbox.project(), sandbox.info())) {
      lifecycle.requireLiving(sandbox);
      Incarnation incarnation = machines.start(origin, sandbox.identity());
      SandboxInfo changed =
          sandbox
              .info()
              .withState(SandboxState.RUNNING, null, null)
              .withSnapshot(target.info().id());
      boolean done = false;
      try {
        SandboxInfo moved =
            lifecycle.moveTo(
                sandbox,
                incarnation,
                changed,
                () -> registry.revert(changed, incarnation.machine().id()));
        done = true;
        return moved;
      } finally {
        if (!done) {
          machines.remove(incarnation);
        }
      }
    } finally {
      sandbox.lock.unlock();
    }
  }

  /** Lets a sandbox that has failed live again in a kept state. */
  SandboxInfo revive(String project, SandboxInfo failed, RewindRequest request) {
    SnapshotRows.Row target = target(project, failed, request);
    try (Origin origin = origins.snapshot(target);
        Hold _ = registry.hold(project, failed)) {
      return lifecycle.revive(project, failed.withSnapshot(target.info().id()), origin);
    }
  }

  private SnapshotRows.Row target(String project, SandboxInfo sandbox, RewindRequest request) {
    String to = request.to();
    SnapshotRows.Row target =
        origins.row(project, to != null ? to : back(project, sandbox, request.steps()));
    if (!target.tree().equals(sandbox.tree()) || target.info().kind() != SnapshotKind.MEMORY) {
      throw new AtollException(
          ErrorCode.NOT_RELATED,
          "snapshot %s is no kept memory of %s or its relatives"
              .formatted(target.info().id(), sandbox.id()),
          "choose one from `atoll tree " + sandbox.id() + "`");
    }
    return target;
  }

  /** Follows the states backwards; each checkpoint on the way is a run that is taken back. */
  private String back(String project, SandboxInfo sandbox, @Nullable Integer steps) {
    int left = steps == null ? 1 : steps;
    String at = left == 0 ? newest(project, sandbox) : sandbox.snapshot();
    while (at != null) {
      SnapshotInfo state = rows.find(project, at).map(SnapshotRows.Row::info).orElse(null);
      if (state == null) {
        break;
      }
      if (left == 0) {
        return state.id();
      }
      if (state.automatic()) {
        left--;
      }
      at = state.parent();
    }
    throw new AtollException(
        ErrorCode.SNAPSHOT_NOT_FOUND,
        left == 0
            ? "no state of %s is kept".formatted(sandbox.id())
            : "no state of %s is kept that goes %d runs back".formatted(sandbox.id(), steps),
        "see `atoll tree %s`; keep more states with checkpoints.keep".formatted(sandbox.id()),
        Map.of("steps", steps == null ? 1 : steps),
        null);
  }

  /** The newest memory of a sandbox itself, or else the state that it was made from. */
  @Nullable String newest(String project, SandboxInfo sandbox) {
    return rows.tree(project, sandbox.tree()).reversed().stream()
        .filter(state -> state.kind() == SnapshotKind.MEMORY)
        .filter(state -> state.sandbox().equals(sandbox.id()))
        .map(SnapshotInfo::id)
        .findFirst()
        .orElse(sandbox.snapshot());
  }
}
