package dev.atoll.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a new sandbox should be. Every field may be left out; the server's defaults are then taken.
 *
 * @param name unique among the live sandboxes of the project; letters, digits, {@code -}, {@code _}
 *     and {@code .}
 * @param template name of the template, {@code python} by default
 * @param cpus how many CPUs' worth of time it may use
 * @param memoryMiB memory of everything in it, in MiB
 * @param diskMiB how much it may write, in MiB
 * @param processes how many processes and threads it may have
 * @param env environment variables of everything that runs in it
 * @param metadata labels of the caller, not visible inside
 * @param ttlSeconds hard limit on its lifetime
 * @param idleTimeoutSeconds how long nothing may use it before {@code onIdle} happens
 * @param persistent neither an SDK's {@code close()} nor idleness ends it; {@code ttlSeconds} still
 *     does if given
 * @param isolation the boundary it must have
 * @param snapshot id or name of the snapshot to start from, instead of a template; limits,
 *     variables and labels given here replace those of the snapshot
 * @param onIdle what happens after {@code idleTimeoutSeconds}; {@code terminate} by default
 * @param checkpoints whether its state is kept after each run, for going back to
 * @param forkAhead how many forks to prepare while it is idle, so that a fork of so many only hands
 *     them over; each costs as much memory as the sandbox itself
 * @param network what it may reach; the package registries when left out
 * @param secrets names of the project's secrets that its requests may use, see {@link SecretSpec}
 */
public record SandboxSpec(
    @Nullable String name,
    @Nullable String template,
    @Nullable Double cpus,
    @Nullable Integer memoryMiB,
    @Nullable Integer diskMiB,
    @Nullable Integer processes,
    @Nullable Map<String, String> env,
    @Nullable Map<String, String> metadata,
    @Nullable Double ttlSeconds,
    @Nullable Double idleTimeoutSeconds,
    @Nullable Boolean persistent,
    @Nullable Isolation isolation,
    @Nullable String snapshot,
    @Nullable OnIdle onIdle,
    @Nullable CheckpointPolicy checkpoints,
    @Nullable Integer forkAhead,
    @Nullable NetworkPolicy network,
    @Nullable List<String> secrets) {
  static final String NAME = "[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}";

  public SandboxSpec {
    if (name != null) {
      Check.that(name.matches(NAME), "name", "must match " + NAME);
      Check.that(
          !name.startsWith("sbx_") && !name.startsWith("snp_"),
          "name",
          "must not start with sbx_ or snp_, which mark ids");
    }
    if (template != null) {
      TemplateReference.parse(template);
    }
    Check.that(
        snapshot == null || template == null,
        "snapshot",
        "and template cannot both be given: a snapshot has its template");
    if (snapshot != null) {
      Check.that(snapshot.matches(NAME), "snapshot", "must match " + NAME);
    }
    Check.range("forkAhead", forkAhead, 0, ForkRequest.MAX_COUNT);
    Check.range("cpus", cpus, 0.1, 64);
    Check.range("memoryMiB", memoryMiB, 64, 262_144);
    Check.range("diskMiB", diskMiB, 16, 1_048_576);
    Check.range("processes", processes, 8, 32_768);
    Check.range("ttlSeconds", ttlSeconds, 1, 31_536_000);
    Check.range("idleTimeoutSeconds", idleTimeoutSeconds, 1, 31_536_000);
    env = env == null ? null : Check.environment("env", env);
    metadata = metadata == null ? null : Check.labels("metadata", metadata);
    secrets = secrets == null ? null : SecretSpec.names(secrets);
  }

  /** A spec that leaves everything to the server. */
  public static SandboxSpec defaults() {
    return of(null);
  }

  /** A spec of a template that leaves everything else to the server. */
  public static SandboxSpec of(@Nullable String template) {
    return new SandboxSpec(
        null, template, null, null, null, null, null, null, null, null, null, null, null, null,
        null, null, null, null);
  }
}
