package dev.atoll.model;

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
 * @param idleTimeoutSeconds ends it when nothing has used it for that long
 * @param persistent neither an SDK's {@code close()} nor idleness ends it; {@code ttlSeconds} still
 *     does if given
 * @param isolation the boundary it must have
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
    @Nullable Isolation isolation) {
  private static final String NAME = "[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}";

  public SandboxSpec {
    if (name != null) {
      Check.that(name.matches(NAME), "name", "must match " + NAME);
      Check.that(!name.startsWith("sbx_"), "name", "must not start with sbx_, which marks ids");
    }
    if (template != null) {
      Check.that(template.matches(NAME), "template", "must match " + NAME);
    }
    Check.range("cpus", cpus, 0.1, 64);
    Check.range("memoryMiB", memoryMiB, 64, 262_144);
    Check.range("diskMiB", diskMiB, 16, 1_048_576);
    Check.range("processes", processes, 8, 32_768);
    Check.range("ttlSeconds", ttlSeconds, 1, 31_536_000);
    Check.range("idleTimeoutSeconds", idleTimeoutSeconds, 1, 31_536_000);
    env = env == null ? null : Check.environment("env", env);
    metadata = metadata == null ? null : Check.labels("metadata", metadata);
  }

  /** A spec that leaves everything to the server. */
  public static SandboxSpec defaults() {
    return new SandboxSpec(null, null, null, null, null, null, null, null, null, null, null, null);
  }
}
