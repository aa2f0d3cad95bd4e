package dev.atoll.engine;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a sandbox gets when its spec does not say, and how many there may be.
 *
 * @param ttl hard limit on its life; null for none
 * @param idleTimeout ends what nobody uses, unless it is persistent; null for never
 * @param maxPerProject living sandboxes of one project
 */
public record SandboxDefaults(
    String template,
    double cpus,
    int memoryMiB,
    int diskMiB,
    int processes,
    @Nullable Duration ttl,
    @Nullable Duration idleTimeout,
    int maxPerProject) {
  public SandboxDefaults {
    Objects.requireNonNull(template);
  }

  /** One CPU, 1 GiB of memory, 4 GiB of disk, 256 processes, half an hour of idleness. */
  public static SandboxDefaults standard() {
    return new SandboxDefaults("python", 1, 1024, 4096, 256, null, Duration.ofMinutes(30), 256);
  }
}
