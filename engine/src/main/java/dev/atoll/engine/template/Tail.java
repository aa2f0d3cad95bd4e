package dev.atoll.engine.template;

import java.util.ArrayDeque;
import java.util.Deque;

/** The last lines of something long. */
public final class Tail {
  private static final int KEPT = 20;
  private static final int MOST_CHARACTERS = 500;

  private final Deque<String> lines = new ArrayDeque<>();

  public void add(String line) {
    lines.addLast(
        line.length() <= MOST_CHARACTERS ? line : line.substring(0, MOST_CHARACTERS) + "…");
    if (lines.size() > KEPT) {
      lines.removeFirst();
    }
  }

  /** The lines after a line break each; empty when there are none. */
  public String text() {
    return lines.isEmpty() ? "" : "\n" + String.join("\n", lines);
  }
}
