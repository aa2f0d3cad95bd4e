package dev.atoll.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox as its owner sees it.
 *
 * @param reason why it ended, when it has: {@code user}, {@code ttl}, {@code idle}, {@code
 *     memory_limit}, {@code disk_limit}, {@code protocol_error}, {@code crashed}, {@code lost},
 *     {@code merged} when another sandbox took over its machine
 * @param parent the sandbox that it was forked from
 * @param tree the first sandbox of its family of forks; its own id when it was not forked
 * @param snapshot the kept state that its own goes back to: the newest that was taken of it, or the
 *     one that it was made from
 * @param pool the warm pool that it was claimed from
 * @param network what it may reach
 * @param secrets names of the secrets that its requests may use
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
    @Nullable Instant endedAt,
    OnIdle onIdle,
    @Nullable CheckpointPolicy checkpoints,
    int forkAhead,
    @Nullable String parent,
    String tree,
    @Nullable String snapshot,
    @Nullable String pool,
    NetworkPolicy network,
    List<String> secrets) {
  public SandboxInfo {
    env = env == null ? Map.of() : Map.copyOf(env);
    metadata = metadata == null ? Map.of() : Map.copyOf(metadata);
    onIdle = onIdle == null ? OnIdle.TERMINATE : onIdle;
    tree = tree == null ? id : tree;
    network = network == null ? NetworkPolicy.defaults() : network;
    secrets = secrets == null ? List.of() : List.copyOf(secrets);
  }

  /** The same sandbox in another state. */
  public SandboxInfo withState(
      SandboxState newState, @Nullable String newReason, @Nullable Instant newEndedAt) {
    return copy(
        newState, newReason, newEndedAt, lastUsedAt, snapshot, SandboxUpdate.NOTHING, lastUsedAt);
  }

  /** The same sandbox, used at another time. */
  public SandboxInfo withLastUsedAt(Instant time) {
    return copy(state, reason, endedAt, time, snapshot, SandboxUpdate.NOTHING, time);
  }

  /** The same sandbox, whose state goes back to another snapshot. */
  public SandboxInfo withSnapshot(@Nullable String id) {
    return copy(state, reason, endedAt, lastUsedAt, id, SandboxUpdate.NOTHING, lastUsedAt);
  }

  /** The same sandbox with an update applied. */
  public SandboxInfo withUpdate(SandboxUpdate update, Instant now) {
    return copy(state, reason, endedAt, lastUsedAt, snapshot, update, now);
  }

  private SandboxInfo copy(
      SandboxState newState,
      @Nullable String newReason,
      @Nullable Instant newEndedAt,
      Instant newLastUsedAt,
      @Nullable String newSnapshot,
      SandboxUpdate update,
      Instant now) {
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
        update.env() == null ? env : update.env(),
        update.metadata() == null ? metadata : update.metadata(),
        update.persistent() == null ? persistent : update.persistent(),
        createdAt,
        newLastUsedAt,
        update.ttlSeconds() == null
            ? expiresAt
            : now.plusMillis(Math.round(update.ttlSeconds() * 1000)),
        update.idleTimeoutSeconds() == null ? idleTimeoutSeconds : update.idleTimeoutSeconds(),
        newEndedAt,
        update.onIdle() == null ? onIdle : update.onIdle(),
        update.checkpoints() == null ? checkpoints : update.checkpoints(),
        update.forkAhead() == null ? forkAhead : update.forkAhead(),
        parent,
        tree,
        newSnapshot,
        pool,
        update.network() == null ? network : update.network(),
        update.secrets() == null ? secrets : update.secrets());
  }
}
