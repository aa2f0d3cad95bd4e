package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * Where a sandbox should go back to. One of the two is given. One that has failed comes back to
 * life in that state.
 *
 * @param to id or name of a snapshot or checkpoint of the sandbox or of an ancestor
 * @param steps how many runs to take back; 1 is the state before the last run, 0 the newest state
 *     that is kept
 */
public record RewindRequest(@Nullable String to, @Nullable Integer steps) {
  public RewindRequest {
    Check.that((to == null) != (steps == null), "to", "or steps must be given, and not both");
    Check.range("steps", steps, 0, 1000);
  }
}
