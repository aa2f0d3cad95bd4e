package dev.atoll.agents;

import java.time.Duration;

/**
 * What a task has come to.
 *
 * @param answer the model's last words; empty if it had none
 * @param message why it ended, if it is not answered
 * @param failedCalls how many calls of tools failed on the way
 */
public record Outcome(
    End end,
    String answer,
    String message,
    int steps,
    int failedCalls,
    Usage usage,
    Duration time) {
  /** Whether the model came to an answer. */
  public boolean answered() {
    return end == End.ANSWERED;
  }
}
