package dev.atoll.sdk;

import java.time.Duration;

/** Durations as the wire has them. */
final class Seconds {
  private Seconds() {}

  static double of(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
