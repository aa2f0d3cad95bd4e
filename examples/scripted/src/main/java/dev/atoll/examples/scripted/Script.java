package dev.atoll.examples.scripted;

import java.util.List;

/**
 * What the model says in a conversation.
 *
 * @param when words of the task that it is for; the newest message of the user that contains those
 *     of a script begins it
 * @param turns replies in order; the last is said again if more is asked
 */
public record Script(String when, List<Turn> turns) {
  /** Checks and copies. */
  public Script {
    turns = List.copyOf(turns);
    if (turns.isEmpty()) {
      throw new IllegalArgumentException("a script has a turn at least");
    }
  }

  /** A script. */
  public static Script of(String when, Turn... turns) {
    return new Script(when, List.of(turns));
  }
}
