package dev.atoll.engine.program;

import org.jspecify.annotations.Nullable;

/** The lines of a text, one after another; the text is not copied as a whole. */
final class Lines {
  private final String text;
  private final int end;
  private final boolean trimmed;
  private int at;
  private int number;

  private Lines(String text, int end, boolean trimmed) {
    this.text = text;
    this.end = end;
    this.trimmed = trimmed;
  }

  /** Each with its line feed, so that the absence of the last one shows. */
  static Lines exact(String text) {
    return new Lines(text, text.length(), false);
  }

  /** Without white space at their ends, and without empty lines at the end. */
  static Lines trimmed(String text) {
    int end = text.length();
    while (end > 0 && Character.isWhitespace(text.charAt(end - 1))) {
      end--;
    }
    return new Lines(text, end, true);
  }

  @Nullable String next() {
    if (at >= end) {
      number++;
      return null;
    }
    int feed = text.indexOf('\n', at);
    int stop = feed < 0 || feed >= end ? end : feed + 1;
    String line = text.substring(at, stop);
    at = stop;
    number++;
    return trimmed ? line.stripTrailing() : line;
  }

  /** Of the line that was given last, from 1. */
  int number() {
    return number;
  }
}
