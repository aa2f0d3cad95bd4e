package dev.atoll.sdk;

import dev.atoll.model.CheckpointPolicy;
import dev.atoll.model.Isolation;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.OnIdle;
import dev.atoll.model.SandboxSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a new sandbox should be, set in a lambda: {@code sandboxes().create(s ->
 * s.template("python").memoryMiB(512).ttl(Duration.ofMinutes(10)))}. What is not set is left to the
 * server.
 */
public final class SandboxOptions {
  static final int DEFAULT_KEEP = 10;

  private final Map<String, String> env = new HashMap<>();
  private final Map<String, String> metadata = new HashMap<>();
  private final NetworkChoice network = new NetworkChoice();
  private final List<String> secrets = new ArrayList<>();
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
  private @Nullable String snapshot;
  private @Nullable OnIdle onIdle;
  private @Nullable CheckpointPolicy checkpoints;
  private @Nullable Integer forkAhead;

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

  /**
   * The snapshot that it starts from, by id or name, in place of a template. Limits, variables and
   * labels that are set here replace those of the snapshot.
   */
  public SandboxOptions snapshot(String idOrName) {
    snapshot = idOrName;
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

  /** When nothing has used it for that long, {@link #onIdle} happens; it ends by default. */
  public SandboxOptions idleTimeout(Duration idle) {
    idleTimeoutSeconds = Seconds.of(idle);
    return this;
  }

  /** What happens when nothing has used it for its idle timeout. */
  public SandboxOptions onIdle(OnIdle action) {
    onIdle = action;
    return this;
  }

  /** Keeps its state after each run, the last ten, for {@link Sandbox#rewind(int)}. */
  public SandboxOptions checkpointEveryRun() {
    return checkpointEveryRun(DEFAULT_KEEP);
  }

  /** Keeps its state after each run, so many of the last, for {@link Sandbox#rewind(int)}. */
  public SandboxOptions checkpointEveryRun(int keep) {
    checkpoints = new CheckpointPolicy(true, keep);
    return this;
  }

  /**
   * Prepares so many forks while it is idle, so that {@link Sandbox#fork(int)} only hands them
   * over. Each costs as much memory as the sandbox itself.
   */
  public SandboxOptions forkAhead(int count) {
    forkAhead = count;
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

  /** How much of the network it may reach; {@link NetworkMode#PACKAGES} by default. */
  public SandboxOptions network(NetworkMode mode) {
    network.mode(mode);
    return this;
  }

  /**
   * What it may reach besides what the mode allows: {@code allow("api.example.com:443",
   * "*.example.org")}. See {@link dev.atoll.model.NetworkRule} for the forms.
   */
  public SandboxOptions allow(String... rules) {
    network.allow(rules);
    return this;
  }

  /** What it may not reach, whatever else allows it. */
  public SandboxOptions deny(String... rules) {
    network.deny(rules);
    return this;
  }

  /**
   * Secrets of the project that its requests may use, by name. Programs find a placeholder in the
   * secret's variable; the server puts the value in its place on the way out.
   */
  public SandboxOptions secret(String... names) {
    secrets.addAll(List.of(names));
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
        isolation,
        snapshot,
        onIdle,
        checkpoints,
        forkAhead,
        network.policy(),
        secrets.isEmpty() ? null : secrets);
  }
}
