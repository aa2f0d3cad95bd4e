package dev.atoll.engine.program;

import dev.atoll.model.OutputMatch;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.StringTokenizer;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a program printed with what was expected. What it printed is hostile: the time it
 * takes is proportional to the length of both, and nothing is interpreted but decimal numbers.
 *
 * @param tolerance of numbers, absolute or as a part of the expected one, whichever is more
 */
record OutputCheck(OutputMatch match, double tolerance) {

  /** Null if the output will do; otherwise a few lines that show why not. */
  @Nullable String difference(byte[] output, String expected) {
    if (match == OutputMatch.EXACT) {
      byte[] wanted = expected.getBytes(StandardCharsets.UTF_8);
      return Arrays.equals(output, wanted) ? null : diff(text(output), expected);
    }
    return diff(text(output), expected);
  }

  private static String text(byte[] output) {
    return new String(output, StandardCharsets.UTF_8);
  }

  private @Nullable String diff(String output, String expected) {
    Lines got = lines(output);
    Lines wanted = lines(expected);
    String previous = null;
    while (true) {
      String one = got.next();
      String other = wanted.next();
      if (one == null && other == null) {
        return match == OutputMatch.EXACT ? "the bytes differ in a way that no text shows" : null;
      }
      if (one == null || other == null || !same(one, other)) {
        return new ShortDiff(wanted.number(), previous).show(other, wanted, one, got);
      }
      previous = other;
    }
  }

  private Lines lines(String text) {
    return match == OutputMatch.EXACT ? Lines.exact(text) : Lines.trimmed(text);
  }

  private boolean same(String line, String expected) {
    if (match != OutputMatch.NUMERIC || line.equals(expected)) {
      return line.equals(expected);
    }
    StringTokenizer words = new StringTokenizer(line);
    StringTokenizer wanted = new StringTokenizer(expected);
    while (words.hasMoreTokens() && wanted.hasMoreTokens()) {
      if (!Numbers.close(words.nextToken(), wanted.nextToken(), tolerance)) {
        return false;
      }
    }
    return !words.hasMoreTokens() && !wanted.hasMoreTokens();
  }
}
