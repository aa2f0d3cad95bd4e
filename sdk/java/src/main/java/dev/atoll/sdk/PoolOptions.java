package dev.atoll.sdk;

import dev.atoll.model.Isolation;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.PoolSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a warm pool should be, set in a lambda: {@code pools().create(p ->
 * p.warm(3).max(20).memoryMiB(512))}. {@link #max} must be set; the rest is left to the server.
 */
public final class PoolOptions {
  private final Map<String, String> env = new HashMap<>();
  private final NetworkChoice network = new NetworkChoice();
  private final List<String> secrets = new ArrayList<>();
  private @Nullable String name;
  private @Nullable String template;
  private @Nullable String snapshot;
  private int warm;
  private int max;
  private @Nullable Double cpus;
  private @Nullable Integer memoryMiB;
  private @Nullable Integer diskMiB;
  private @Nullable Integer processes;
  private @Nullable Isolation isolation;

  PoolOptions() {}

  /** A name, unique among the pools of the project. */
  public PoolOptions name(String unique) {
    name = unique;
    return this;
  }

  /** The template that its sandboxes are made from; {@code python} by default. */
  public PoolOptions template(String templateName) {
    template = templateName;
    return this;
  }

  /** The snapshot that its sandboxes start from, by id or name, in place of a template. */
  public PoolOptions snapshot(String idOrName) {
    snapshot = idOrName;
    return this;
  }

  /** How many are kept ready. */
  public PoolOptions warm(int count) {
    warm = count;
    return this;
  }

  /** How many there may be, ready and claimed together. */
  public PoolOptions max(int count) {
    max = count;
    return this;
  }

  /** How many CPUs' worth of time each may use. */
  public PoolOptions cpus(double count) {
    cpus = count;
    return this;
  }

  /** Memory of each, in MiB. */
  public PoolOptions memoryMiB(int mebibytes) {
    memoryMiB = mebibytes;
    return this;
  }

  /** How much each may write, in MiB. */
  public PoolOptions diskMiB(int mebibytes) {
    diskMiB = mebibytes;
    return this;
  }

  /** How many processes and threads each may have. */
  public PoolOptions processes(int count) {
    processes = count;
    return this;
  }

  /** The boundary that each must have. */
  public PoolOptions isolation(Isolation boundary) {
    isolation = boundary;
    return this;
  }

  /** A variable of everything that runs in them. */
  public PoolOptions env(String variable, String value) {
    env.put(variable, value);
    return this;
  }

  /** How much of the network each may reach; {@link NetworkMode#PACKAGES} by default. */
  public PoolOptions network(NetworkMode mode) {
    network.mode(mode);
    return this;
  }

  /**
   * What each may reach besides what the mode allows: {@code allow("api.example.com:443",
   * "*.example.org")}. See {@link dev.atoll.model.NetworkRule} for the forms.
   */
  public PoolOptions allow(String... rules) {
    network.allow(rules);
    return this;
  }

  /** What each may not reach, whatever else allows it. */
  public PoolOptions deny(String... rules) {
    network.deny(rules);
    return this;
  }

  /**
   * Secrets of the project that their requests may use, by name. Programs find a placeholder in the
   * secret's variable; the server puts the value in its place on the way out.
   */
  public PoolOptions secret(String... names) {
    secrets.addAll(List.of(names));
    return this;
  }

  PoolSpec spec() {
    return new PoolSpec(
        name,
        template,
        snapshot,
        warm,
        max,
        cpus,
        memoryMiB,
        diskMiB,
        processes,
        isolation,
        env,
        network.policy(),
        secrets.isEmpty() ? null : secrets);
  }
}
