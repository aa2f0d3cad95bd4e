package dev.atoll.engine.net;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a sandbox has used of the network, under the account of its project. Where a limit is
 * passed, the answer is a text that says which; null means that there is room.
 */
final class TrafficAccount {
  private static final Duration DAY = Duration.ofDays(1);

  private final String owner;
  private final TrafficLimits limits;
  private final @Nullable TrafficAccount parent;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong day = new AtomicLong(today());
  private final TokenBucket rate;
  private final TokenBucket queries;
  private final TokenBucket names;

  /**
   * @param owner for messages, such as {@code the sandbox}
   * @param usedToday bytes that were used before this account was opened
   */
  TrafficAccount(
      String owner, TrafficLimits limits, @Nullable TrafficAccount parent, long usedToday) {
    this.owner = owner;
    this.limits = limits;
    this.parent = parent;
    this.bytes.set(usedToday);
    this.rate =
        new TokenBucket(limits.bytesPerSecond(), Duration.ofSeconds(1), limits.bytesPerSecond());
    this.queries =
        new TokenBucket(
            limits.queriesPerMinute(), Duration.ofMinutes(1), limits.queriesPerMinute());
    this.names =
        new TokenBucket(limits.newNamesPerHour(), Duration.ofHours(1), limits.newNamesPerHour());
  }

  /** The start of the day that bytes are counted from. */
  static Instant startOfDay() {
    return Instant.now().truncatedTo(ChronoUnit.DAYS);
  }

  private static long today() {
    return System.currentTimeMillis() / DAY.toMillis();
  }

  /** Counts one more connection; if it may not be, nothing is counted. */
  @Nullable String open() {
    String over = usedUp();
    if (over != null) {
      return over;
    }
    if (open.incrementAndGet() > limits.connections()) {
      open.decrementAndGet();
      return "%s has %d connections open, which is the most".formatted(owner, limits.connections());
    }
    String above = parent == null ? null : parent.open();
    if (above != null) {
      open.decrementAndGet();
    }
    return above;
  }

  void closed() {
    open.decrementAndGet();
    if (parent != null) {
      parent.closed();
    }
  }

  int connections() {
    return open.get();
  }

  long bytesToday() {
    turnDay();
    return bytes.get();
  }

  /** Counts bytes and says how long to hold them back. */
  Duration count(int amount) {
    turnDay();
    bytes.addAndGet(amount);
    Duration own = rate.take(amount);
    Duration above = parent == null ? Duration.ZERO : parent.count(amount);
    return own.compareTo(above) > 0 ? own : above;
  }

  /** Whether the bytes of the day are used up. */
  @Nullable String usedUp() {
    turnDay();
    if (bytes.get() >= limits.bytesPerDay()) {
      return "%s has used up its %d bytes of today".formatted(owner, limits.bytesPerDay());
    }
    return parent == null ? null : parent.usedUp();
  }

  /**
   * Counts a question for a name.
   *
   * @param weight of a name that was not asked for before; 0 for another
   */
  @Nullable String query(int weight) {
    if (!queries.tryTake(1)) {
      return "%s has asked for more than %d names a minute"
          .formatted(owner, limits.queriesPerMinute());
    }
    if (weight > 0 && !names.tryTake(weight)) {
      return "%s has asked for more than %d new names an hour, long ones counted several times"
          .formatted(owner, limits.newNamesPerHour());
    }
    return parent == null ? null : parent.query(weight);
  }

  private void turnDay() {
    long now = today();
    long before = day.get();
    if (now != before && day.compareAndSet(before, now)) {
      bytes.set(0);
    }
  }
}
