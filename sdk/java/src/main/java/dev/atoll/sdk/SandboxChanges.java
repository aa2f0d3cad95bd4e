package dev.atoll.sdk;

import dev.atoll.model.CheckpointPolicy;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.OnIdle;
import dev.atoll.model.SandboxUpdate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What should change of a sandbox, set in a lambda: {@code sandbox.update(s ->
 * s.idleTimeout(Duration.ofHours(1)).onIdle(OnIdle.HIBERNATE))}. What is not set stays as it is.
 */
public final class SandboxChanges {
  private final NetworkChoice network = new NetworkChoice();
  private @Nullable Double ttlSeconds;
  private @Nullable Double idleTimeoutSeconds;
  private @Nullable Boolean persistent;
  private @Nullable Map<String, String> env;
  private @Nullable Map<String, String> metadata;
  private @Nullable OnIdle onIdle;
  private @Nullable CheckpointPolicy checkpoints;
  private @Nullable Integer forkAhead;
  private @Nullable List<String> secrets;

  SandboxChanges() {}

  /** A new lifetime, counted from now. */
  public SandboxChanges ttl(Duration lifetime) {
    ttlSeconds = Seconds.of(lifetime);
    return this;
  }

  /** How long nothing may use it before {@link #onIdle} happens. */
  public SandboxChanges idleTimeout(Duration idle) {
    idleTimeoutSeconds = Seconds.of(idle);
    return this;
  }

  /** What happens when nothing has used it for its idle timeout. */
  public SandboxChanges onIdle(OnIdle action) {
    onIdle = action;
    return this;
  }

  /** Whether neither {@link Sandbox#close()} nor idleness ends it. */
  public SandboxChanges persistent(boolean stays) {
    persistent = stays;
    return this;
  }

  /** The variables of everything that is started from now on, in place of those it has. */
  public SandboxChanges env(Map<String, String> variables) {
    env = Map.copyOf(variables);
    return this;
  }

  /** The labels of the caller, in place of those it has. */
  public SandboxChanges metadata(Map<String, String> labels) {
    metadata = Map.copyOf(labels);
    return this;
  }

  /** Keeps its state after each run, so many of the last, for {@link Sandbox#rewind(int)}. */
  public SandboxChanges checkpointEveryRun(int keep) {
    checkpoints = new CheckpointPolicy(true, keep);
    return this;
  }

  /** Keeps no more states after runs; those that are kept stay. */
  public SandboxChanges noCheckpoints() {
    checkpoints = new CheckpointPolicy(false, SandboxOptions.DEFAULT_KEEP);
    return this;
  }

  /** How many forks are prepared while it is idle; 0 for none. */
  public SandboxChanges forkAhead(int count) {
    forkAhead = count;
    return this;
  }

  /**
   * How much of the network it may reach. With {@link #allow} and {@link #deny} this is the whole
   * new policy: rules that it had and that are not given again are gone.
   */
  public SandboxChanges network(NetworkMode mode) {
    network.mode(mode);
    return this;
  }

  /** What it may reach besides what the mode allows; see {@link dev.atoll.model.NetworkRule}. */
  public SandboxChanges allow(String... rules) {
    network.allow(rules);
    return this;
  }

  /** What it may not reach, whatever else allows it. */
  public SandboxChanges deny(String... rules) {
    network.deny(rules);
    return this;
  }

  /** The secrets that its requests may use, by name, in place of those it has; none for none. */
  public SandboxChanges secrets(String... names) {
    secrets = new ArrayList<>(List.of(names));
    return this;
  }

  SandboxUpdate update() {
    return new SandboxUpdate(
        ttlSeconds,
        idleTimeoutSeconds,
        persistent,
        env,
        metadata,
        onIdle,
        checkpoints,
        forkAhead,
        network.policy(),
        secrets);
  }
}
