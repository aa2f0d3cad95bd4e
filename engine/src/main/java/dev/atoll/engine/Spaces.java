package dev.atoll.engine;

import dev.atoll.engine.store.SandboxRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SandboxState;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Sandboxes that are known by their names and found again in whatever state they are. */
public final class Spaces {
  private static final Duration CREATING_PATIENCE = Duration.ofMinutes(2);
  private static final Duration POLL = Duration.ofMillis(20);

  private final SandboxRows rows;
  private final Registry registry;
  private final Lifecycle lifecycle;

  Spaces(SandboxRows rows, Registry registry, Lifecycle lifecycle) {
    this.rows = rows;
    this.registry = registry;
    this.lifecycle = lifecycle;
  }

  /** A space that is running now, and whether it was made for that. */
  public record Opened(SandboxInfo sandbox, boolean created) {}

  /**
   * Finds the living sandbox of that name and lets it run.
   *
   * @param create what to make when there is none; null: there must be one
   */
  public Opened open(String project, String name, @Nullable SandboxSpec create) {
    Instant deadline = Instant.now().plus(CREATING_PATIENCE);
    while (true) {
      SandboxInfo row = rows.find(project, name).filter(Spaces::isLiving).orElse(null);
      LiveSandbox live = row == null ? null : registry.live(row.id());
      if (live != null) {
        return new Opened(lifecycle.wake(live), false);
      }
      if (row == null) {
        if (create == null) {
          throw Registry.unknown(name);
        }
        try {
          return new Opened(lifecycle.create(project, named(create, name), null), true);
        } catch (AtollException e) {
          // Somebody else makes it at this very moment.
          if (e.code() != ErrorCode.NAME_TAKEN) {
            throw e;
          }
        }
      }
      await(name, deadline);
    }
  }

  private static boolean isLiving(SandboxInfo row) {
    return SandboxRows.LIVING.contains(row.state());
  }

  private static void await(String name, Instant deadline) {
    if (Instant.now().isAfter(deadline)) {
      throw new AtollException(
          ErrorCode.TIMEOUT, "space " + name + " is " + SandboxState.CREATING.wire() + " too long");
    }
    try {
      Thread.sleep(POLL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtollException(ErrorCode.SHUTTING_DOWN, "interrupted while opening a space");
    }
  }

  private static SandboxSpec named(SandboxSpec spec, String name) {
    return new SandboxSpec(
        name,
        spec.template(),
        spec.cpus(),
        spec.memoryMiB(),
        spec.diskMiB(),
        spec.processes(),
        spec.env(),
        spec.metadata(),
        spec.ttlSeconds(),
        spec.idleTimeoutSeconds(),
        spec.persistent(),
        spec.isolation(),
        spec.snapshot(),
        spec.onIdle(),
        spec.checkpoints(),
        spec.forkAhead(),
        spec.network(),
        spec.secrets());
  }
}
