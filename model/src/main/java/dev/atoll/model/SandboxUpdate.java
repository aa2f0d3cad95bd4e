package dev.atoll.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A change to a living sandbox; what is null stays as it is.
 *
 * @param ttlSeconds new lifetime, counted from now
 * @param idleTimeoutSeconds new idle timeout
 * @param persistent see {@link SandboxSpec}
 * @param env replaces the variables for everything started from now on
 * @param metadata replaces the labels
 * @param onIdle see {@link SandboxSpec}
 * @param checkpoints see {@link SandboxSpec}
 * @param forkAhead see {@link SandboxSpec}
 * @param network replaces the policy; takes effect at once, on open connections too
 * @param secrets replaces the names of secrets; new connections use them, and what is started from
 *     now on has their variables
 */
public record SandboxUpdate(
    @Nullable Double ttlSeconds,
    @Nullable Double idleTimeoutSeconds,
    @Nullable Boolean persistent,
    @Nullable Map<String, String> env,
    @Nullable Map<String, String> metadata,
    @Nullable OnIdle onIdle,
    @Nullable CheckpointPolicy checkpoints,
    @Nullable Integer forkAhead,
    @Nullable NetworkPolicy network,
    @Nullable List<String> secrets) {
  static final SandboxUpdate NOTHING =
      new SandboxUpdate(null, null, null, null, null, null, null, null, null, null);

  public SandboxUpdate {
    Check.range("ttlSeconds", ttlSeconds, 1, 31_536_000);
    Check.range("idleTimeoutSeconds", idleTimeoutSeconds, 1, 31_536_000);
    Check.range("forkAhead", forkAhead, 0, ForkRequest.MAX_COUNT);
    env = env == null ? null : Check.environment("env", env);
    metadata = metadata == null ? null : Check.labels("metadata", metadata);
    secrets = secrets == null ? null : SecretSpec.names(secrets);
  }
}
