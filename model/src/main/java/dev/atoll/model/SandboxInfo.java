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
}
