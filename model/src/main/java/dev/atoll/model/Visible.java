package dev.atoll.model;

/**
 * Text that came out of a sandbox, or from whoever else is not to be believed, made fit for
 * terminals and logs: what would move the cursor, change colours, begin a line or turn the
 * direction of reading is shown instead of done.
 */
public final class Visible {
  private static final int DELETE = 0x7f;

  private Visible() {}

  /** One line; line breaks and tabs are shown too. */
  public static String line(String text) {
    return text.codePoints()
        .collect(StringBuilder::new, Visible::append, StringBuilder::append)
        .toString();
  }

  /** One line of at most so many characters. */
  public static String line(String text, int most) {
    String flat = line(text.strip().replaceAll("\\s+", " "));
    if (flat.codePointCount(0, flat.length()) <= most) {
      return flat;
    }
    return flat.substring(0, flat.offsetByCodePoints(0, most - 3)) + "...";
  }

  /** Lines and tabs as they are, and nothing else that is not seen. */
  public static String lines(String text) {
    StringBuilder lines = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            character -> {
              if (character == '\n' || character == '\t') {
                lines.append((char) character);
              } else {
                append(lines, character);
              }
            });
    return lines.toString();
  }

  private static void append(StringBuilder line, int character) {
    if (isSeen(character)) {
      line.appendCodePoint(character);
    } else if (character < ' ') {
      line.append('^').append((char) (character + '@'));
    } else {
      line.append('?');
    }
  }

  private static boolean isSeen(int character) {
    if (character < DELETE) {
      return character >= ' ';
    }
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
