package dev.atoll.agents;

import com.fasterxml.jackson.annotation.JsonIgnore;

/** Tokens, as the model's provider counts them. */
public record Usage(long inputTokens, long outputTokens) {
  /** Nothing yet. */
  public static final Usage NONE = new Usage(0, 0);

  /** Checks the ranges. */
  public Usage {
    if (inputTokens < 0 || outputTokens < 0) {
      throw new IllegalArgumentException("tokens must not be negative");
    }
  }

  /** Both together. */
  public Usage plus(Usage other) {
    return new Usage(inputTokens + other.inputTokens, outputTokens + other.outputTokens);
  }

  /** In and out. */
  @JsonIgnore
  public long total() {
    return inputTokens + outputTokens;
  }
}
