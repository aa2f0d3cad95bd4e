package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * How much a project may have. What is null is as the server's settings say; {@link #UNLIMITED} is
 * no limit, and 0 is nothing at all.
 *
 * @param sandboxes sandboxes that have not ended, hibernated ones too
 * @param memoryMiB memory of all machines that run
 * @param cpus CPUs of all machines that run
 * @param diskMiB disk of sandboxes, snapshots, templates and imported root file systems
 * @param pools warm pools
 * @param warm sandboxes that all warm pools together keep ready
 * @param services services
 * @param requestsPerSecond requests to the API
 */
public record QuotaLimits(
    @Nullable Integer sandboxes,
    @Nullable Long memoryMiB,
    @Nullable Double cpus,
    @Nullable Long diskMiB,
    @Nullable Integer pools,
    @Nullable Integer warm,
    @Nullable Integer services,
    @Nullable Double requestsPerSecond) {
  /** Stands for no limit. */
  public static final int UNLIMITED = -1;

  private static final double MOST = 1e12;

  public QuotaLimits {
    check("sandboxes", sandboxes);
    check("memoryMiB", memoryMiB);
    check("cpus", cpus);
    check("diskMiB", diskMiB);
    check("pools", pools);
    check("warm", warm);
    check("services", services);
    check("requestsPerSecond", requestsPerSecond);
  }

  private static void check(String name, @Nullable Number limit) {
    if (limit == null) {
      return;
    }
    double value = limit.doubleValue();
    Check.that(
        value == UNLIMITED || (value >= 0 && value <= MOST),
        name,
        "is " + limit + ", must be 0 or more, or -1 for no limit");
  }

  /** Nothing said: all is as the server's settings say. */
  public static QuotaLimits unset() {
    return new QuotaLimits(null, null, null, null, null, null, null, null);
  }

  /** Nothing said but how many sandboxes there may be. */
  public static QuotaLimits ofSandboxes(int sandboxes) {
    return new QuotaLimits(sandboxes, null, null, null, null, null, null, null);
  }

  /** The limit of one quota; null when nothing is said of it. */
  public @Nullable Double of(QuotaName name) {
    Number limit =
        switch (name) {
          case SANDBOXES -> sandboxes;
          case MEMORY -> memoryMiB;
          case CPUS -> cpus;
          case DISK -> diskMiB;
          case POOLS -> pools;
          case WARM -> warm;
          case SERVICES -> services;
          case REQUESTS_PER_SECOND -> requestsPerSecond;
        };
    return limit == null ? null : limit.doubleValue();
  }

  /** These limits, and where they say nothing, those. */
  public QuotaLimits or(QuotaLimits those) {
    return new QuotaLimits(
        first(sandboxes, those.sandboxes),
        first(memoryMiB, those.memoryMiB),
        first(cpus, those.cpus),
        first(diskMiB, those.diskMiB),
        first(pools, those.pools),
        first(warm, those.warm),
        first(services, those.services),
        first(requestsPerSecond, those.requestsPerSecond));
  }

  private static <T> @Nullable T first(@Nullable T one, @Nullable T other) {
    return one == null ? other : one;
  }
}
