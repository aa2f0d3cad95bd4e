package dev.atoll.engine.program;

import java.util.Locale;
import java.util.regex.Pattern;

/** Compares words that may be numbers. */
final class Numbers {
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?+(?:[0-9]++(?:\\.[0-9]*+)?+|\\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+");
  private static final int MOST_DIGITS = 400;

  private Numbers() {}

  /**
   * Whether two words are the same, or numbers that differ by little. A number that a double cannot
   * hold is compared as text; not-a-number equals itself, and an infinity of the same sign too.
   */
  static boolean close(String word, String expected, double tolerance) {
    if (word.equals(expected)) {
      return true;
    }
    if (isNumber(word) && isNumber(expected)) {
      double one = Double.parseDouble(word);
      double other = Double.parseDouble(expected);
      return Double.isFinite(one)
          && Double.isFinite(other)
          && Math.abs(one - other) <= tolerance * Math.max(1, Math.abs(other));
    }
    String special = special(word);
    return !special.isEmpty() && special.equals(special(expected));
  }

  private static boolean isNumber(String word) {
    return word.length() <= MOST_DIGITS && DECIMAL.matcher(word).matches();
  }

  /** One name for all spellings of what is no number; empty for anything else. */
  private static String special(String word) {
    if (word.length() > "-infinity".length()) {
      return "";
    }
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "nan", "-nan", "+nan" -> "nan";
      case "inf", "+inf", "infinity", "+infinity" -> "inf";
      case "-inf", "-infinity" -> "-inf";
      default -> "";
    };
  }
}
