package dev.atoll.agents;

import java.time.Duration;

/**
 * What a task may cost; the loop ends at the first bound that it meets.
 *
 * @param steps replies of the model
 * @param tokens in and out, together
 * @param time by the clock; calls that run then are interrupted
 */
public record Budget(int steps, long tokens, Duration time) {
  /** Checks the ranges. */
  public Budget {
    if (steps < 1 || tokens < 1 || time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException("a budget has at least a step, a token and some time");
    }
  }

  /** 30 steps, a million tokens, ten minutes. */
  public static Budget defaults() {
    return new Budget(30, 1_000_000, Duration.ofMinutes(10));
  }

  /** The same with other steps. */
  public Budget withSteps(int count) {
    return new Budget(count, tokens, time);
  }

  /** The same with other tokens. */
  public Budget withTokens(long count) {
    return new Budget(steps, count, time);
  }

  /** The same with another time. */
  public Budget withTime(Duration limit) {
    return new Budget(steps, tokens, limit);
  }
}
