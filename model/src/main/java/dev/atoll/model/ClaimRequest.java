package dev.atoll.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a sandbox claimed from a pool is to be beyond what the pool says; all may be left out. */
public record ClaimRequest(
    @Nullable String name,
    @Nullable Map<String, String> env,
    @Nullable Map<String, String> metadata,
    @Nullable Double ttlSeconds,
    @Nullable Double idleTimeoutSeconds,
    @Nullable Boolean persistent,
    @Nullable OnIdle onIdle,
    @Nullable NetworkPolicy network,
    @Nullable List<String> secrets) {
  public ClaimRequest {
    // The same rules as for a sandbox that is made anew.
    new SandboxSpec(
        name,
        null,
        null,
        null,
        null,
        null,
        env,
        metadata,
        ttlSeconds,
        idleTimeoutSeconds,
        persistent,
        null,
        null,
        onIdle,
        null,
        null,
        network,
        secrets);
    env = env == null ? null : Map.copyOf(env);
    metadata = metadata == null ? null : Map.copyOf(metadata);
    secrets = secrets == null ? null : List.copyOf(secrets);
  }

  /** A claim that leaves everything to the pool. */
  public static ClaimRequest plain() {
    return new ClaimRequest(null, null, null, null, null, null, null, null, null);
  }
}
