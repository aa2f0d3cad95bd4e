package dev.atoll.agents.tools;

import java.time.Duration;

/**
 * Bounds of every call.
 *
 * @param outputCharacters of stdout and of stderr that a model gets to read; the rest is left out
 *     in the middle and the whole stored in the sandbox
 * @param timeout of a run for which the model names none
 * @param longestTimeout that a model may ask for
 */
public record ToolLimits(int outputCharacters, Duration timeout, Duration longestTimeout) {
  /** Checks the ranges. */
  public ToolLimits {
    if (outputCharacters < 200
        || timeout.toSeconds() < 1
        || longestTimeout.compareTo(timeout) < 0) {
      throw new IllegalArgumentException(
          "at least 200 characters of output, and a timeout from 1 s up to the longest");
    }
  }

  /** 16,000 characters, two minutes, ten minutes. */
  public static ToolLimits defaults() {
    return new ToolLimits(16_000, Duration.ofMinutes(2), Duration.ofMinutes(10));
  }

  /** The timeout that a call asks for. */
  Duration timeout(Arguments arguments) {
    int seconds =
        arguments.integer(
            "timeout_seconds", (int) timeout.toSeconds(), 1, (int) longestTimeout.toSeconds());
    return Duration.ofSeconds(seconds);
  }
}
