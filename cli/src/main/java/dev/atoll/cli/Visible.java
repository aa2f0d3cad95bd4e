package dev.atoll.cli;

/**
 * Text that came out of a sandbox, made fit for a terminal: what would move the cursor or change
 * colours is shown instead of done.
 */
final class Visible {
  private Visible() {}

  /** One line; line breaks and tabs are shown too. */
  static String line(String text) {
    return text.codePoints()
        .collect(StringBuilder::new, Visible::append, StringBuilder::append)
        .toString();
  }

  /** One line of at most so many characters. */
  static String line(String text, int most) {
    String flat = line(text.strip().replaceAll("\\s+", " "));
    if (flat.codePointCount(0, flat.length()) <= most) {
      return flat;
    }
    return flat.substring(0, flat.offsetByCodePoints(0, most - 3)) + "...";
  }

  private static void append(StringBuilder line, int character) {
    if (!Character.isISOControl(character) && Character.getType(character) != Character.FORMAT) {
      line.appendCodePoint(character);
    } else if (character < 0x20) {
      line.append('^').append((char) (character + '@'));
    } else {
      line.append('?');
    }
  }
}
