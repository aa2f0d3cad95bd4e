package dev.atoll.engine;

import dev.atoll.engine.store.SandboxRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Lets a sandbox go on as one of its descendants. */
final class Merges {
  private final SandboxRows rows;
  private final Registry registry;
  private final Lifecycle lifecycle;

  Merges(SandboxRows rows, Registry registry, Lifecycle lifecycle) {
    this.rows = rows;
    this.registry = registry;
    this.lifecycle = lifecycle;
  }

  /** The parent keeps its id, name and settings and gets the winner's machine; the winner ends. */
  SandboxInfo merge(LiveSandbox parent, LiveSandbox winner, boolean destroyLosers) {
    Set<String> descendants = descendants(parent);
    if (!descendants.contains(winner.id())) {
      throw new AtollException(
          ErrorCode.NOT_RELATED,
          "sandbox %s does not descend from %s".formatted(winner.id(), parent.id()),
          "merge a fork into the sandbox that it was forked from",
          Map.of("sandbox", parent.id(), "winner", winner.id()),
          null);
    }
    // In the order of their ids, as everyone who takes two such locks must.
    List<LiveSandbox> both =
        Stream.of(parent, winner).sorted((a, b) -> a.id().compareTo(b.id())).toList();
    both.forEach(sandbox -> sandbox.lock.lock());
    SandboxInfo merged;
    try {
      merged = takeOver(parent, winner);
    } finally {
      both.reversed().forEach(sandbox -> sandbox.lock.unlock());
    }
    if (destroyLosers) {
      descendants.stream()
          .map(registry::live)
          .filter(sandbox -> sandbox != null)
          .forEach(loser -> lifecycle.end(loser, SandboxState.TERMINATED, "merged"));
    }
    return merged;
  }

  private SandboxInfo takeOver(LiveSandbox parent, LiveSandbox winner) {
    lifecycle.requireLiving(parent);
    lifecycle.requireLiving(winner);
    lifecycle.wake(winner);
    Incarnation body = winner.body();
    SandboxInfo changed =
        parent
            .info()
            .withState(SandboxState.RUNNING, null, null)
            .withSnapshot(winner.info().snapshot());
    SandboxInfo merged =
        lifecycle.moveTo(
            parent,
            body,
            changed,
            () -> {
              SandboxInfo ended =
                  winner.info().withState(SandboxState.TERMINATED, "merged", Instant.now());
              registry.together(
                  () -> {
                    registry.move(ended, null, null);
                    registry.move(changed, body.machine().id(), null);
                  });
              winner.change(i -> ended);
              registry.remove(winner);
              winner.closeNetwork();
            });
    parent.guest().thaw(parent.identity().goingOn(), Machines.THAW_DEADLINE);
    return merged;
  }

  private Set<String> descendants(LiveSandbox parent) {
    Set<String> found = new HashSet<>();
    found.add(parent.id());
    List<SandboxInfo> family = rows.tree(parent.project(), parent.info().tree());
    // Parents are older than their children, so one pass in the order of age finds all.
    for (SandboxInfo member : family) {
      if (member.parent() != null && found.contains(member.parent())) {
        found.add(member.id());
      }
    }
    found.remove(parent.id());
    return found;
  }
}
