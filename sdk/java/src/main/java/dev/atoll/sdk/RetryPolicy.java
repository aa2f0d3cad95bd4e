package dev.atoll.sdk;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long the client goes on trying.
 *
 * <p>A call is sent again only where that cannot do anything twice: when nothing was sent, when the
 * server has refused it for the moment (429, 503), or when it is a read, a removal, or a creation
 * with its idempotency key.
 *
 * @param attempts how often a call is sent at most
 * @param firstDelay the wait before the second attempt; it doubles from there, with jitter
 * @param longestDelay no wait is longer; a server that asks for more gets no second attempt
 * @param reconnectTime how long a stream whose connection broke waits for the server to come back
 */
public record RetryPolicy(
    int attempts, Duration firstDelay, Duration longestDelay, Duration reconnectTime) {
  /** Checks the ranges. */
  public RetryPolicy {
    if (attempts < 1 || firstDelay.isNegative() || longestDelay.compareTo(firstDelay) < 0) {
      throw new IllegalArgumentException("a retry policy needs an attempt and rising delays");
    }
  }

  /** Four attempts from 100 ms on, waits of at most 10 s, a minute for a server to come back. */
  public static RetryPolicy defaults() {
    return new RetryPolicy(
        4, Duration.ofMillis(100), Duration.ofSeconds(10), Duration.ofSeconds(60));
  }

  /** The wait after the given attempt: between half and all of what doubling gives. */
  Duration delay(int attempt) {
    long full =
        Math.min(
            longestDelay.toMillis(),
            firstDelay.toMillis() << Math.min(20, Math.max(0, attempt - 1)));
    return Duration.ofMillis(full / 2 + ThreadLocalRandom.current().nextLong(full / 2 + 1));
  }
}
