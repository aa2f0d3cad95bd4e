package dev.atoll.server.http;

import java.time.Duration;

/** Measures how long nothing was sent, to know when a ping is due. */
final class Silence {
  private final long limit;
  private long since = System.nanoTime();

  Silence(Duration limit) {
    this.limit = limit.toNanos();
  }

  void broken() {
    since = System.nanoTime();
  }

  boolean tooLong() {
    return System.nanoTime() - since >= limit;
  }

  /** How long to wait before looking again. */
  Duration atMost(Duration tick) {
    long left = Math.max(0, limit - (System.nanoTime() - since));
    return left < tick.toNanos() ? Duration.ofNanos(left) : tick;
  }
}
