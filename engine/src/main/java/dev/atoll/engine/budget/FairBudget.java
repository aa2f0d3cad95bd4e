package dev.atoll.engine.budget;

import java.util.HashMap;
import java.util.Map;

/**
 * Bytes that projects share fairly: a project may hold no more than what is free. One that is alone
 * gets a half, each of two a third, each of n one part of n + 1. So there is room for a project
 * that comes late, however greedy the others are, and nobody has to be asked for anything back.
 *
 * <p>Thread-safe, and never blocks for long: readers of guests use it.
 */
public final class FairBudget {
  /**
   * The part of the heap that clients and guests can make the server hold. There is one heap, so
   * there is one of these. The rest is for the server's own work, and for what is on its way
   * between two places that count.
   */
  public static final FairBudget HEAP = new FairBudget(Runtime.getRuntime().maxMemory() / 5 * 2);

  private final long total;
  private final Map<String, Long> shares = new HashMap<>();
  private long held;
  private long refusals;

  public FairBudget(long total) {
    if (total < 0) {
      throw new IllegalArgumentException("a budget of " + total + " bytes");
    }
    this.total = total;
  }

  /** Takes bytes for a project; false, and nothing taken, when its share does not have them. */
  public synchronized boolean take(String project, long bytes) {
    requireCount(bytes);
    if (bytes > share(project)) {
      refusals++;
      return false;
    }
    held += bytes;
    shares.merge(project, bytes, Long::sum);
    return true;
  }

  /** Gives back what was taken. */
  public synchronized void give(String project, long bytes) {
    requireCount(bytes);
    if (bytes == 0) {
      return;
    }
    long own = heldBy(project) - bytes;
    if (own < 0) {
      throw new IllegalStateException("more is given back than was taken");
    }
    held -= bytes;
    if (own == 0) {
      shares.remove(project);
    } else {
      shares.put(project, own);
    }
  }

  /** What is there already belongs to another project from now on. */
  synchronized void move(String from, String to, long bytes) {
    give(from, bytes);
    held += bytes;
    shares.merge(to, bytes, Long::sum);
  }

  /** How much more a project could take now. */
  public synchronized long share(String project) {
    return Math.max(0, (total - held - heldBy(project)) / 2);
  }

  /** Whether a project has used up most of what it could hold. */
  public synchronized boolean isScarce(String project) {
    return share(project) < heldBy(project) / 4;
  }

  public long total() {
    return total;
  }

  public synchronized long held() {
    return held;
  }

  public synchronized long heldBy(String project) {
    return shares.getOrDefault(project, 0L);
  }

  /** How often there was no room. */
  public synchronized long refusals() {
    return refusals;
  }

  private static void requireCount(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("cannot take " + bytes + " bytes");
    }
  }
}
