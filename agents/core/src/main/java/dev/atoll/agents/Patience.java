package dev.atoll.agents;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How often and how long to wait for a model that is overloaded.
 *
 * @param attempts for one reply
 * @param firstDelay doubles from attempt to attempt, with jitter
 * @param longestDelay no wait is longer, unless the provider asks for more
 */
public record Patience(int attempts, Duration firstDelay, Duration longestDelay) {
  /** Checks the ranges. */
  public Patience {
    if (attempts < 1 || firstDelay.isNegative() || longestDelay.compareTo(firstDelay) < 0) {
      throw new IllegalArgumentException("patience needs an attempt and rising delays");
    }
  }

  /** Six attempts, from one second to half a minute. */
  public static Patience defaults() {
    return new Patience(6, Duration.ofSeconds(1), Duration.ofSeconds(30));
  }

  /** The wait after the given attempt. */
  Duration delay(int attempt, ModelException failure) {
    long full =
        Math.min(longestDelay.toMillis(), firstDelay.toMillis() << Math.min(20, attempt - 1));
    long own = full / 2 + ThreadLocalRandom.current().nextLong(full / 2 + 1);
    return failure.retryAfter().orElse(Duration.ofMillis(own));
  }
}
