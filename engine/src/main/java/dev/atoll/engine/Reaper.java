package dev.atoll.engine;

import dev.atoll.engine.store.SandboxRows;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ends sandboxes whose time is up or that nobody uses, and notes in the store when each was last
 * used.
 */
final class Reaper {
  private static final Duration NOTED_EVERY = Duration.ofSeconds(15);

  private final Lifecycle lifecycle;
  private final SandboxRows rows;
  private final Map<String, Instant> noted = new ConcurrentHashMap<>();

  Reaper(Lifecycle lifecycle, SandboxRows rows) {
    this.lifecycle = lifecycle;
    this.rows = rows;
  }

  void tick() {
    Instant now = Instant.now();
    for (LiveSandbox sandbox : lifecycle.all()) {
      if (sandbox.isExpired(now)) {
        lifecycle.end(sandbox, SandboxState.TERMINATED, "ttl");
        continue;
      }
      if (sandbox.isBusy()) {
        sandbox.touch();
      } else if (sandbox.isIdle(now)) {
        lifecycle.end(sandbox, SandboxState.TERMINATED, "idle");
        continue;
      }
      note(sandbox, now);
    }
    noted.keySet().removeIf(id -> lifecycle.live(id) == null);
  }

  private void note(LiveSandbox sandbox, Instant now) {
    Instant before = noted.getOrDefault(sandbox.id(), sandbox.info().createdAt());
    SandboxInfo info = sandbox.info();
    if (info.lastUsedAt().isAfter(before) && before.plus(NOTED_EVERY).isBefore(now)) {
      sandbox.lock.lock();
      try {
        if (lifecycle.live(sandbox.id()) != null) {
          rows.update(sandbox.info());
          noted.put(sandbox.id(), now);
        }
      } finally {
        sandbox.lock.unlock();
      }
    }
  }
}
