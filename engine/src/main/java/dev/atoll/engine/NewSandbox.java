package dev.atoll.engine;

import dev.atoll.driver.Driver;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.OnIdle;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SnapshotInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a sandbox is when it begins: what was asked for, then its snapshot's, then the defaults. */
record NewSandbox(SandboxDefaults defaults) {

  SandboxInfo of(String id, SandboxSpec spec, Origin origin, @Nullable String pool) {
    SnapshotInfo snapshot = origin.snapshot();
    Driver driver = origin.start().driver();
    Instant now = now();
    return new SandboxInfo(
        id,
        spec.name(),
        SandboxState.CREATING,
        null,
        origin.template(),
        origin.digest(),
        driver.isolation(),
        driver.name(),
        first(spec.cpus(), snapshot == null ? null : snapshot.cpus(), defaults.cpus()),
        first(
            spec.memoryMiB(), snapshot == null ? null : snapshot.memoryMiB(), defaults.memoryMiB()),
        first(spec.diskMiB(), snapshot == null ? null : snapshot.diskMiB(), defaults.diskMiB()),
        first(
            spec.processes(), snapshot == null ? null : snapshot.processes(), defaults.processes()),
        first(spec.env(), snapshot == null ? null : snapshot.env(), Map.of()),
        spec.metadata() == null ? Map.of() : spec.metadata(),
        Boolean.TRUE.equals(spec.persistent()),
        now,
        now,
        expiry(spec, now),
        idle(spec),
        null,
        onIdle(spec),
        spec.checkpoints(),
        spec.forkAhead() == null ? 0 : spec.forkAhead(),
        snapshot == null ? null : snapshot.id(),
        origin.tree() == null ? id : origin.tree(),
        snapshot == null ? null : snapshot.id(),
        pool,
        network(spec),
        secrets(spec));
  }

  /** One that is ready, with what was asked for besides its shape. */
  SandboxInfo of(SandboxInfo blank, SandboxSpec spec) {
    Instant now = now();
    return new SandboxInfo(
        blank.id(),
        spec.name(),
        SandboxState.CREATING,
        null,
        blank.template(),
        blank.templateDigest(),
        blank.isolation(),
        blank.driver(),
        blank.cpus(),
        blank.memoryMiB(),
        blank.diskMiB(),
        blank.processes(),
        spec.env() == null || spec.env().isEmpty() ? blank.env() : spec.env(),
        spec.metadata() == null ? Map.of() : spec.metadata(),
        Boolean.TRUE.equals(spec.persistent()),
        now,
        now,
        expiry(spec, now),
        idle(spec),
        null,
        onIdle(spec),
        spec.checkpoints(),
        spec.forkAhead() == null ? 0 : spec.forkAhead(),
        blank.parent(),
        blank.tree(),
        blank.snapshot(),
        blank.pool(),
        network(spec),
        secrets(spec));
  }

  private static NetworkPolicy network(SandboxSpec spec) {
    return spec.network() == null ? NetworkPolicy.defaults() : spec.network();
  }

  private static List<String> secrets(SandboxSpec spec) {
    return spec.secrets() == null ? List.of() : spec.secrets();
  }

  private static OnIdle onIdle(SandboxSpec spec) {
    return spec.onIdle() == null ? OnIdle.TERMINATE : spec.onIdle();
  }

  private @Nullable Instant expiry(SandboxSpec spec, Instant now) {
    Double ttl = spec.ttlSeconds() != null ? spec.ttlSeconds() : seconds(defaults.ttl());
    return ttl == null ? null : after(now, ttl);
  }

  private @Nullable Double idle(SandboxSpec spec) {
    boolean staysUp = Boolean.TRUE.equals(spec.persistent()) && onIdle(spec) == OnIdle.TERMINATE;
    return spec.idleTimeoutSeconds() != null
        ? spec.idleTimeoutSeconds()
        : staysUp ? null : seconds(defaults.idleTimeout());
  }

  /** A child that is in everything like its parent. */
  static SandboxInfo fork(String id, SandboxInfo parent, ForkRequest request) {
    Instant now = now();
    Map<String, String> metadata = new HashMap<>(parent.metadata());
    metadata.putAll(request.metadata());
    Double ttl = request.ttlSeconds();
    return new SandboxInfo(
        id,
        null,
        SandboxState.CREATING,
        null,
        parent.template(),
        parent.templateDigest(),
        parent.isolation(),
        parent.driver(),
        parent.cpus(),
        parent.memoryMiB(),
        parent.diskMiB(),
        parent.processes(),
        parent.env(),
        metadata,
        parent.persistent(),
        now,
        now,
        ttl == null ? parent.expiresAt() : after(now, ttl),
        parent.idleTimeoutSeconds(),
        null,
        parent.onIdle(),
        parent.checkpoints(),
        // A child is usually forked to be tried and dropped, so it prepares nothing unless told to.
        0,
        parent.id(),
        parent.tree(),
        parent.snapshot(),
        null,
        parent.network(),
        parent.secrets());
  }

  /** In the precision of the store. */
  static Instant now() {
    return Instant.ofEpochMilli(System.currentTimeMillis());
  }

  static Instant after(Instant now, double seconds) {
    return now.plusMillis(Math.round(seconds * 1000));
  }

  private static <T> T first(@Nullable T asked, @Nullable T inherited, T otherwise) {
    return asked != null ? asked : inherited != null ? inherited : otherwise;
  }

  private static @Nullable Double seconds(@Nullable Duration duration) {
    return duration == null ? null : duration.toMillis() / 1000.0;
  }
}
