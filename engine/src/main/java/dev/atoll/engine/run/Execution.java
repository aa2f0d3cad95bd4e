package dev.atoll.engine.run;

import java.time.Duration;
import java.time.Instant;

/**
 * The number of an execution. It says when the execution started and how long it may take, so that
 * a restarted server knows without having stored it; numbers of one context only grow.
 *
 * @param number start in milliseconds above {@link #TIMEOUT_BITS} bits of timeout in tenths of a
 *     second
 */
record Execution(long number) {
  private static final int TIMEOUT_BITS = 22;
  private static final long TIMEOUT_MASK = (1L << TIMEOUT_BITS) - 1;

  static Execution next(Instant now, Duration timeout, long before) {
    long tenths = Math.clamp((timeout.toMillis() + 99) / 100, 1, TIMEOUT_MASK);
    long millis = Math.max(now.toEpochMilli(), (before >>> TIMEOUT_BITS) + 1);
    return new Execution((millis << TIMEOUT_BITS) | tenths);
  }

  Instant startedAt() {
    return Instant.ofEpochMilli(number >>> TIMEOUT_BITS);
  }

  Instant deadline() {
    return startedAt().plusMillis((number & TIMEOUT_MASK) * 100);
  }

  /** The run's id: unique in a sandbox, because channels are never used twice. */
  String runId(int channel) {
    return "run_" + Integer.toString(channel, 36) + "x" + Long.toString(number, 36);
  }
}
