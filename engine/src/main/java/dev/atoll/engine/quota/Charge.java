package dev.atoll.engine.quota;

import dev.atoll.model.QuotaName;
import dev.atoll.model.SandboxInfo;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that takes part of its project's quotas. Two with the same id are one thing, seen by
 * two who count.
 *
 * @param kind what it is, for its owner to read
 */
public record Charge(
    String kind, String id, @Nullable String name, Map<QuotaName, Double> amounts) {
  private static final double MEBIBYTE = 1 << 20;

  /** What a new thing takes at least that grows by itself: where all is used there is no place. */
  private static final double LEAST_DISK = 1 / MEBIBYTE;

  public Charge {
    amounts = Map.copyOf(amounts);
  }

  /** One of something. */
  public static Charge one(QuotaName of, String kind, String id, @Nullable String name) {
    return new Charge(kind, id, name, Map.of(of, 1.0));
  }

  /** A sandbox with a machine. */
  public static Charge sandbox(SandboxInfo info) {
    return new Charge(
        "sandbox",
        info.id(),
        info.name(),
        Map.of(
            QuotaName.SANDBOXES,
            1.0,
            QuotaName.MEMORY,
            (double) info.memoryMiB(),
            QuotaName.CPUS,
            info.cpus(),
            QuotaName.DISK,
            LEAST_DISK));
  }

  /** A machine that is no sandbox, or none yet. */
  public static Charge machine(
      String kind, String id, @Nullable String name, double cpus, double memoryMiB) {
    return new Charge(kind, id, name, Map.of(QuotaName.MEMORY, memoryMiB, QuotaName.CPUS, cpus));
  }

  /** Something on disk. */
  public static Charge disk(String kind, String id, @Nullable String name, long bytes) {
    return new Charge(
        kind, id, name, Map.of(QuotaName.DISK, Math.max(bytes / MEBIBYTE, LEAST_DISK)));
  }

  /** The same with more of one quota. */
  public Charge with(QuotaName quota, double amount) {
    return and(new Charge(kind, id, name, Map.of(quota, amount)));
  }

  /** The same by another id. */
  Charge as(String newId) {
    return new Charge(kind, newId, name, amounts);
  }

  double of(QuotaName quota) {
    return amounts.getOrDefault(quota, 0.0);
  }

  /** The same thing as somebody else counts it: it takes what either says. */
  public Charge and(Charge other) {
    Map<QuotaName, Double> both = new EnumMap<>(QuotaName.class);
    both.putAll(amounts);
    other.amounts.forEach((quota, amount) -> both.merge(quota, amount, Math::max));
    return new Charge(other.kind, id, other.name == null ? name : other.name, both);
  }
}
