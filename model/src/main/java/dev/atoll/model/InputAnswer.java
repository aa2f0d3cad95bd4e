package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a question of a run. It may be a password: nothing of it is kept, logged or told.
 *
 * @param id of the question, as {@link RunEvent.InputRequest} has it
 * @param text one line, without its end; must be given unless {@code eof} is
 * @param eof true instead of a text: there is no more input
 */
public record InputAnswer(String id, @Nullable String text, @Nullable Boolean eof) {
  /** Each may take four bytes, and all of them have to fit into one frame. */
  private static final int MOST_CHARACTERS = 16_000;

  private static final int MOST_ID = 64;

  public InputAnswer {
    Check.that(id != null && !id.isEmpty(), "id", "must be given");
    Check.that(id.length() <= MOST_ID, "id", "is longer than " + MOST_ID + " characters");
    Check.that((text == null) != (eof == null), "text", "must be given, or eof instead");
    Check.that(eof == null || eof, "eof", "must be true or left out");
    if (text != null) {
      Check.that(isOneLine(text), "text", "must be one line, without its end");
      Check.that(
          text.codePointCount(0, text.length()) <= MOST_CHARACTERS,
          "text",
          "is longer than " + MOST_CHARACTERS + " characters");
    }
  }

  /** An answer of one line. */
  public static InputAnswer text(String id, String text) {
    return new InputAnswer(id, text, null);
  }

  /** There is no more input. */
  public static InputAnswer endOfInput(String id) {
    return new InputAnswer(id, null, true);
  }

  private static boolean isOneLine(String text) {
    return text.chars().noneMatch(c -> c == '\n' || c == '\r' || c == 0);
  }

  /** Without the text, which may be a password. */
  @Override
  public String toString() {
    return "InputAnswer[id=" + id + "]";
  }
}
