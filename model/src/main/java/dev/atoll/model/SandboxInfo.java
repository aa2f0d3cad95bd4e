package dev.atoll.model;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox as its owner sees it.
 *
 * @param reason why it ended, when it has: {@code user}, {@code ttl}, {@code idle}, {@code
 *     memory_limit}, {@code disk_limit}, {@code protocol_error}, {@code crashed}, {@code lost}
 */
public record SandboxInfo(
    String id,
    @Nullable String name,
    SandboxState state,
    @Nullable String reason,
    String template,
    String templateDigest,
    Isolation isolation,
    String driver,
    double cpus,
    int memoryMiB,
    int diskMiB,
    int processes,
    Map<String, String> env,
    Map<String, String> metadata,
    boolean persistent,
    Instant createdAt,
    Instant lastUsedAt,
    @Nullable Instant expiresAt,
    @Nullable Double idleTimeoutSeconds,
    @Nullable Instant endedAt) {
  public SandboxInfo {
    env = env == null ? Map.of() : Map.copyOf(env);
    metadata = metadata == null ? Map.of() : Map.copyOf(metadata);
  }

  /** The same sandbox in another state. */
  public SandboxInfo withState(
      SandboxState newState, @Nullable String newReason, @Nullable Instant newEndedAt) {
    return copy(
        newState,
        newReason,
        env,
        metadata,
        persistent,
        lastUsedAt,
        expiresAt,
        idleTimeoutSeconds,
        newEndedAt);
  }

  /** The same sandbox, used at another time. */
  public SandboxInfo withLastUsedAt(Instant time) {
    return copy(
        state, reason, env, metadata, persistent, time, expiresAt, idleTimeoutSeconds, endedAt);
  }

  /** The same sandbox with an update applied. */
  public SandboxInfo withUpdate(SandboxUpdate update, Instant now) {
    return copy(
        state,
        reason,
        update.env() == null ? env : update.env(),
        update.metadata() == null ? metadata : update.metadata(),
        update.persistent() == null ? persistent : update.persistent(),
        lastUsedAt,
        update.ttlSeconds() == null
            ? expiresAt
            : now.plusMillis(Math.round(update.ttlSeconds() * 1000)),
        update.idleTimeoutSeconds() == null ? idleTimeoutSeconds : update.idleTimeoutSeconds(),
        endedAt);
  }

  private SandboxInfo copy(
      SandboxState newState,
      @Nullable String newReason,
      Map<String, String> newEnv,
      Map<String, String> newMetadata,
      boolean newPersistent,
      Instant newLastUsedAt,
      @Nullable Instant newExpiresAt,
      @Nullable Double newIdleTimeoutSeconds,
      @Nullable Instant newEndedAt) {
    return new SandboxInfo(
        id,
        name,
        newState,
        newReason,
        template,
        templateDigest,
        isolation,
        driver,
        cpus,
        memoryMiB,
        diskMiB,
        processes,
        newEnv,
        newMetadata,
        newPersistent,
        createdAt,
        newLastUsedAt,
        newExpiresAt,
        newIdleTimeoutSeconds,
        newEndedAt);
  }
}
