package dev.atoll.sdk;

import dev.atoll.model.ClaimRequest;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.OnIdle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a claimed sandbox should be beyond what its pool says, set in a lambda: {@code
 * pools().claim("workers", c -> c.ttl(Duration.ofMinutes(10)))}.
 */
public final class ClaimOptions {
  private final Map<String, String> env = new HashMap<>();
  private final Map<String, String> metadata = new HashMap<>();
  private final NetworkChoice network = new NetworkChoice();
  private final List<String> secrets = new ArrayList<>();
  private @Nullable String name;
  private @Nullable Double ttlSeconds;
  private @Nullable Double idleTimeoutSeconds;
  private @Nullable Boolean persistent;
  private @Nullable OnIdle onIdle;

  ClaimOptions() {}

  /** A name, unique among the live sandboxes of the project. */
  public ClaimOptions name(String unique) {
    name = unique;
    return this;
  }

  /** A variable of everything that is started in it from now on. */
  public ClaimOptions env(String variable, String value) {
    env.put(variable, value);
    return this;
  }

  /** A label of the caller, not visible inside. */
  public ClaimOptions metadata(String key, String value) {
    metadata.put(key, value);
    return this;
  }

  /** Hard limit on its lifetime, counted from the claim. */
  public ClaimOptions ttl(Duration lifetime) {
    ttlSeconds = Seconds.of(lifetime);
    return this;
  }

  /** When nothing has used it for that long, {@link #onIdle} happens; it ends by default. */
  public ClaimOptions idleTimeout(Duration idle) {
    idleTimeoutSeconds = Seconds.of(idle);
    return this;
  }

  /** What happens when nothing has used it for its idle timeout. */
  public ClaimOptions onIdle(OnIdle action) {
    onIdle = action;
    return this;
  }

  /** Neither {@link Sandbox#close()} nor idleness ends it. */
  public ClaimOptions persistent() {
    persistent = true;
    return this;
  }

  /** How much of the network it may reach. This and the rules here are in place of the pool's. */
  public ClaimOptions network(NetworkMode mode) {
    network.mode(mode);
    return this;
  }

  /**
   * What it may reach besides what the mode allows: {@code allow("api.example.com:443",
   * "*.example.org")}. See {@link dev.atoll.model.NetworkRule} for the forms.
   */
  public ClaimOptions allow(String... rules) {
    network.allow(rules);
    return this;
  }

  /** What it may not reach, whatever else allows it. */
  public ClaimOptions deny(String... rules) {
    network.deny(rules);
    return this;
  }

  /**
   * Secrets of the project that its requests may use, by name. Programs find a placeholder in the
   * secret's variable; the server puts the value in its place on the way out.
   */
  public ClaimOptions secret(String... names) {
    secrets.addAll(List.of(names));
    return this;
  }

  ClaimRequest request() {
    return new ClaimRequest(
        name,
        env.isEmpty() ? null : env,
        metadata.isEmpty() ? null : metadata,
        ttlSeconds,
        idleTimeoutSeconds,
        persistent,
        onIdle,
        network.policy(),
        secrets.isEmpty() ? null : secrets);
  }
}
