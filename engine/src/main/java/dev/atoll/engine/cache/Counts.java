package dev.atoll.engine.cache;

import java.util.concurrent.atomic.LongAdder;

/** What the cache has done since the server started. */
public final class Counts {
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder stale = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder fetchedBytes = new LongAdder();
  private final LongAdder servedBytes = new LongAdder();

  void hit() {
    hits.increment();
  }

  void miss() {
    misses.increment();
  }

  void stale() {
    stale.increment();
  }

  void failure() {
    failures.increment();
  }

  void fetched(long bytes) {
    fetchedBytes.add(bytes);
  }

  void served(long bytes) {
    servedBytes.add(bytes);
  }

  /** Files and pages that were there. */
  public long hits() {
    return hits.sum();
  }

  /** Files and pages that a registry was asked for. */
  public long misses() {
    return misses.sum();
  }

  /** Old pages that were given because the registry did not answer. */
  public long staleOnes() {
    return stale.sum();
  }

  /** Requests that failed because of a registry. */
  public long failures() {
    return failures.sum();
  }

  public long fetchedBytes() {
    return fetchedBytes.sum();
  }

  public long servedBytes() {
    return servedBytes.sum();
  }
}
