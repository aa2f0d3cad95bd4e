package dev.atoll.sdk;

import dev.atoll.model.Isolation;
import dev.atoll.model.SandboxSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a new sandbox should be, set in a lambda: {@code sandboxes().create(s ->
 * s.template("python").memoryMiB(512).ttl(Duration.ofMinutes(10)))}. What is not set is left to the
 * server.
 */
public final class SandboxOptions {
  private final Map<String, String> env = new HashMap<>();
  private final Map<String, String> metadata = new HashMap<>();
  private @Nullable String name;
  private @Nullable String template;
  private @Nullable Double cpus;
  private @Nullable Integer memoryMiB;
  private @Nullable Integer diskMiB;
  private @Nullable Integer processes;
  private @Nullable Double ttlSeconds;
  private @Nullable Double idleTimeoutSeconds;
  private @Nullable Boolean persistent;
  private @Nullable Isolation isolation;

  SandboxOptions() {}

  /** A name, unique among the live sandboxes of the project. */
  public SandboxOptions name(String unique) {
    name = unique;
    return this;
  }

  /** The template that it is made from; {@code python} by default. */
  public SandboxOptions template(String templateName) {
    template = templateName;
    return this;
  }

  /** How many CPUs' worth of time it may use. */
  public SandboxOptions cpus(double count) {
    cpus = count;
    return this;
  }

  /** Memory of everything in it, in MiB. */
  public SandboxOptions memoryMiB(int mebibytes) {
    memoryMiB = mebibytes;
    return this;
  }

  /** How much it may write, in MiB. */
  public SandboxOptions diskMiB(int mebibytes) {
    diskMiB = mebibytes;
    return this;
  }

  /** How many processes and threads it may have. */
  public SandboxOptions processes(int count) {
    processes = count;
    return this;
  }

  /** A variable of everything that runs in it. */
  public SandboxOptions env(String variable, String value) {
    env.put(variable, value);
    return this;
  }

  /** A label of the caller, not visible inside. */
  public SandboxOptions metadata(String key, String value) {
    metadata.put(key, value);
    return this;
  }

  /** Hard limit on its lifetime. */
  public SandboxOptions ttl(Duration lifetime) {
    ttlSeconds = Seconds.of(lifetime);
    return this;
  }

  /** Ends it when nothing has used it for that long. */
  public SandboxOptions idleTimeout(Duration idle) {
    idleTimeoutSeconds = Seconds.of(idle);
    return this;
  }

  /** Neither {@link Sandbox#close()} nor idleness ends it. */
  public SandboxOptions persistent() {
    persistent = true;
    return this;
  }

  /** The boundary that it must have. */
  public SandboxOptions isolation(Isolation boundary) {
    isolation = boundary;
    return this;
  }

  SandboxSpec spec() {
    return new SandboxSpec(
        name,
        template,
        cpus,
        memoryMiB,
        diskMiB,
        processes,
        env.isEmpty() ? null : env,
        metadata.isEmpty() ? null : metadata,
        ttlSeconds,
        idleTimeoutSeconds,
        persistent,
        isolation);
  }
}
