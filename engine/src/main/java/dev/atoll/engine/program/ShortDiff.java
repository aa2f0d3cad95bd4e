package dev.atoll.engine.program;

import org.jspecify.annotations.Nullable;

/**
 * The place where two texts begin to differ, as a person would want to see it.
 *
 * @param previous the line before, if there is one
 */
record ShortDiff(int line, @Nullable String previous) {
  private static final int MOST_LINES = 3;
  private static final int MOST_CHARACTERS = 160;

  String show(@Nullable String expected, Lines moreExpected, @Nullable String got, Lines moreGot) {
    StringBuilder text = new StringBuilder("@@ line ").append(line).append(" @@\n");
    if (previous != null) {
      add(text, ' ', previous);
    }
    side(text, '-', expected, moreExpected);
    side(text, '+', got, moreGot);
    return text.toString();
  }

  private static void side(StringBuilder text, char sign, @Nullable String first, Lines more) {
    if (first == null) {
      text.append(sign).append("(nothing more)\n");
      return;
    }
    String next = first;
    for (int count = 0; next != null && count < MOST_LINES; count++) {
      add(text, sign, next);
      next = more.next();
    }
    if (next != null) {
      text.append(sign).append("…\n");
    }
  }

  private static void add(StringBuilder text, char sign, String line) {
    boolean ended = line.endsWith("\n");
    String shown = ended ? line.substring(0, line.length() - 1) : line;
    text.append(sign);
    if (shown.length() > MOST_CHARACTERS) {
      text.append(shown, 0, MOST_CHARACTERS).append('…');
    } else {
      text.append(shown);
    }
    text.append('\n');
  }
}
