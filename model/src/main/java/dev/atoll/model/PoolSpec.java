package dev.atoll.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A warm pool to be kept.
 *
 * @param name unique among the pools of the project
 * @param template what its sandboxes are made from, unless {@code snapshot} is given
 * @param warm how many are kept ready
 * @param max how many sandboxes of it there may be, ready and claimed together
 * @param network what its sandboxes may reach; the package registries when left out
 * @param secrets names of the secrets that their requests may use
 */
public record PoolSpec(
    @Nullable String name,
    @Nullable String template,
    @Nullable String snapshot,
    int warm,
    int max,
    @Nullable Double cpus,
    @Nullable Integer memoryMiB,
    @Nullable Integer diskMiB,
    @Nullable Integer processes,
    @Nullable Isolation isolation,
    Map<String, String> env,
    @Nullable NetworkPolicy network,
    @Nullable List<String> secrets) {
  public PoolSpec {
    if (name != null) {
      Check.that(name.matches(SandboxSpec.NAME), "name", "must match " + SandboxSpec.NAME);
      Check.that(!name.startsWith("pool_"), "name", "must not start with pool_, which marks ids");
    }
    Check.range("warm", warm, 0, 1000);
    Check.range("max", max, 1, 10_000);
    Check.that(warm <= max, "warm", "is " + warm + ", must not be more than max, " + max);
    sandbox(
        template, snapshot, cpus, memoryMiB, diskMiB, processes, isolation, env, network, secrets);
    env = env == null ? Map.of() : Check.environment("env", env);
  }

  /** The sandboxes that the pool is to hold. */
  public SandboxSpec sandbox() {
    return sandbox(
        template, snapshot, cpus, memoryMiB, diskMiB, processes, isolation, env, network, secrets);
  }

  private static SandboxSpec sandbox(
      @Nullable String template,
      @Nullable String snapshot,
      @Nullable Double cpus,
      @Nullable Integer memoryMiB,
      @Nullable Integer diskMiB,
      @Nullable Integer processes,
      @Nullable Isolation isolation,
      @Nullable Map<String, String> env,
      @Nullable NetworkPolicy network,
      @Nullable List<String> secrets) {
    return new SandboxSpec(
        null, template, cpus, memoryMiB, diskMiB, processes, env, null, null, null, null, isolation,
        snapshot, null, null, null, network, secrets);
  }
}
