package dev.atoll.engine.service;

import dev.atoll.engine.Run;
import dev.atoll.engine.run.Deadlines;
import dev.atoll.model.InstanceState;
import dev.atoll.model.ServiceInstance;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A sandbox of a service. Guarded by the lock of its service. */
final class Instance {
  final String name;
  final int revision;
  volatile InstanceState state = InstanceState.STARTING;
  volatile @Nullable String sandbox;

  /** The program; null while the instance is not awake. */
  volatile @Nullable Run run;

  /** Looks now and then whether the program works. */
  Deadlines.@Nullable Alarm checks;

  /** Looks when it may be put to sleep. */
  Deadlines.@Nullable Alarm idleness;

  /** Brings its output into the log. */
  @Nullable Thread pump;

  /** It is on its way to disk. */
  volatile boolean settling;

  /** Somebody looks at its health, which would wake it. */
  volatile boolean probing;

  int inFlight;
  int unhealthy;
  int restarts;

  /** Restarts one soon after another. */
  int streak;

  long restartedAt;
  long idleSince = System.nanoTime();

  Instance(String name, int revision) {
    this.name = name;
    this.revision = revision;
  }

  /** Its sandbox, once there is one. */
  String id() {
    return Objects.requireNonNull(sandbox);
  }

  boolean takes(int concurrency) {
    return state == InstanceState.READY && !settling && inFlight < concurrency;
  }

  ServiceInstance info() {
    return new ServiceInstance(
        sandbox == null ? "" : sandbox, name, revision, state, inFlight, restarts);
  }
}
