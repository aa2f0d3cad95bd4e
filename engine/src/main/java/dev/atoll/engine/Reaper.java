package dev.atoll.engine;

import dev.atoll.model.OnIdle;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends sandboxes whose time is up, ends or hibernates those that nobody uses, and notes in the
 * store when each was last used.
 */
final class Reaper {
  private static final Logger LOG = LoggerFactory.getLogger(Reaper.class);
  private static final Duration NOTED_EVERY = Duration.ofSeconds(15);

  private final Registry registry;
  private final Lifecycle lifecycle;
  private final Map<String, Instant> noted = new ConcurrentHashMap<>();
  private final Set<String> ending = ConcurrentHashMap.newKeySet();
  private final Set<String> hibernating = ConcurrentHashMap.newKeySet();

  Reaper(Registry registry, Lifecycle lifecycle) {
    this.registry = registry;
    this.lifecycle = lifecycle;
  }

  void tick() {
    Instant now = Instant.now();
    for (LiveSandbox sandbox : registry.all()) {
      if (sandbox.isExpired(now)) {
        end(sandbox, "ttl");
        continue;
      }
      if (sandbox.isBusy()) {
        sandbox.touch();
      } else if (sandbox.isIdle(now)) {
        retire(sandbox);
        continue;
      }
      note(sandbox, now);
    }
    noted.keySet().removeIf(id -> registry.live(id) == null);
  }

  /** Aside: one that is slow to end does not keep others alive. */
  private void end(LiveSandbox sandbox, String reason) {
    if (ending.add(sandbox.id())) {
      Thread.ofVirtual()
          .name("end-" + sandbox.id())
          .start(
              () -> {
                try {
                  lifecycle.end(sandbox, SandboxState.TERMINATED, reason);
                } catch (RuntimeException e) {
                  LOG.warn("sandbox {} could not be ended", sandbox.id(), e);
                } finally {
                  ending.remove(sandbox.id());
                }
              });
    }
  }

  /** Writing memory to disk takes a while, so it happens aside; twice at once does no harm. */
  private void retire(LiveSandbox sandbox) {
    if (sandbox.info().onIdle() == OnIdle.TERMINATE) {
      end(sandbox, "idle");
    } else if (hibernating.add(sandbox.id())) {
      Thread.ofVirtual()
          .name("hibernate-" + sandbox.id())
          .start(
              () -> {
                try {
                  SandboxInfo _ = lifecycle.hibernate(sandbox, true);
                } catch (RuntimeException e) {
                  LOG.warn("sandbox {} could not be hibernated", sandbox.id(), e);
                  // Not again in the next moment.
                  sandbox.touch();
                } finally {
                  hibernating.remove(sandbox.id());
                }
              });
    }
  }

  private void note(LiveSandbox sandbox, Instant now) {
    Instant before = noted.getOrDefault(sandbox.id(), sandbox.info().createdAt());
    SandboxInfo info = sandbox.info();
    if (info.lastUsedAt().isAfter(before) && before.plus(NOTED_EVERY).isBefore(now)) {
      sandbox.lock.lock();
      try {
        if (registry.has(sandbox)) {
          registry.update(sandbox.info());
          noted.put(sandbox.id(), now);
        }
      } finally {
        sandbox.lock.unlock();
      }
    }
  }
}
