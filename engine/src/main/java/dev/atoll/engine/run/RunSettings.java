package dev.atoll.engine.run;

import java.time.Duration;
import java.util.Objects;

/**
 * What runs get when their request does not say.
 *
 * @param timeout of code and commands; background processes have none
 * @param maxOutputBytes of code and commands
 * @param keepEnded for how long an ended code run or command can still be attached to
 * @param maxKept how many runs of a sandbox are remembered at most
 */
public record RunSettings(Duration timeout, long maxOutputBytes, Duration keepEnded, int maxKept) {
  public RunSettings {
    Objects.requireNonNull(timeout);
    Objects.requireNonNull(keepEnded);
  }

  /** Five minutes, 10 MiB; ended runs are kept for five minutes, 512 of them at most. */
  public static RunSettings defaults() {
    return new RunSettings(Duration.ofMinutes(5), 10L << 20, Duration.ofMinutes(5), 512);
  }
}
