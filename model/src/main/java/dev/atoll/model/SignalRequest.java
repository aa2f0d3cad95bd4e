package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * A signal for a process.
 *
 * @param signal a name such as {@code SIGTERM} or {@code TERM}
 * @param tree true: for all its descendants too
 */
public record SignalRequest(String signal, @Nullable Boolean tree) {
  public SignalRequest {
    Check.that(signal != null && !signal.isBlank(), "signal", "must be given");
  }
}
