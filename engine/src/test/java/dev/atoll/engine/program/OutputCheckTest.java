package dev.atoll.engine.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.OutputMatch;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OutputCheckTest {
  private static @Nullable String check(OutputMatch match, String output, String expected) {
    return new OutputCheck(match, 1e-6)
        .difference(output.getBytes(StandardCharsets.UTF_8), expected);
  }

  @Test
  void exactMeansEveryByte() {
    assertThat(check(OutputMatch.EXACT, "a\nb\n", "a\nb\n")).isNull();
    assertThat(check(OutputMatch.EXACT, "", "")).isNull();
    assertThat(check(OutputMatch.EXACT, "a\nb", "a\nb\n")).contains("line 2");
    assertThat(check(OutputMatch.EXACT, "a \n", "a\n")).contains("line 1");
    assertThat(check(OutputMatch.EXACT, "a\r\n", "a\n")).isNotNull();
  }

  @Test
  void bytesThatAreNoTextDifferToo() {
    byte[] output = {(byte) 0xff, '\n'};
    OutputCheck exact = new OutputCheck(OutputMatch.EXACT, 0);
    assertThat(exact.difference(output, "\ufffd\n")).isNotNull();
  }

  @Test
  void trimmedIgnoresWhiteSpaceAtTheEnds() {
    assertThat(check(OutputMatch.TRIMMED, "a  \r\nb\n\n\n", "a\nb")).isNull();
    assertThat(check(OutputMatch.TRIMMED, "", "\n\n")).isNull();
    assertThat(check(OutputMatch.TRIMMED, " a", "a")).isNotNull();
    assertThat(check(OutputMatch.TRIMMED, "a\n\nb", "a\nb")).isNotNull();
    assertThat(check(OutputMatch.TRIMMED, "a  b", "a b")).isNotNull();
  }

  @ParameterizedTest
  @CsvSource({
    "1.0000005, 1",
    "-0.0, 0",
    "1e3, 1000",
    "1000000.5, 1000000",
    "nan, NaN",
    "inf, Infinity",
    "-inf, -Infinity",
    "1e400, 1e400",
    ".5, 0.5",
    "5., 5",
    "yes, yes",
    "123456789012345678901234567890, 123456789012345678901234567891"
  })
  void numbersMayDifferALittle(String output, String expected) {
    assertThat(check(OutputMatch.NUMERIC, output, expected)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "1.01, 1",
    "nan, 1",
    "1, nan",
    "inf, -inf",
    "1e400, 1e500",
    "1e400, inf",
    "1e308, -1e308",
    "Yes, yes",
    "1 2, 1",
    "1, 1 2",
    "0x10, 16",
    "1d, 1",
    "'', 1"
  })
  void otherwiseTheyAreNotTheSame(String output, String expected) {
    assertThat(check(OutputMatch.NUMERIC, output, expected)).isNotNull();
  }

  @Test
  void linesAreCounted() {
    assertThat(check(OutputMatch.NUMERIC, "1 2\n3\n", "1 2\n3")).isNull();
    assertThat(check(OutputMatch.NUMERIC, "1\n2\n3", "1 2\n3")).contains("line 1");
    assertThat(check(OutputMatch.NUMERIC, "1\n2", "1\n2\n3"))
        .isEqualTo("@@ line 3 @@\n 2\n-3\n+(nothing more)\n");
    assertThat(check(OutputMatch.NUMERIC, "1\n2\n3", "1\n2"))
        .isEqualTo("@@ line 3 @@\n 2\n-(nothing more)\n+3\n");
  }

  @Test
  void theDifferenceIsShort() {
    String many = "x".repeat(10_000) + "\n";
    String diff = check(OutputMatch.TRIMMED, "same\n" + many.repeat(100), "same\nother\n");
    assertThat(diff).startsWith("@@ line 2 @@\n same\n-other\n+xxx").hasSizeLessThan(1000);
    assertThat(diff).endsWith("+…\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e999999999", "1e-999999999", "9"})
  void hugeWordsTakeNoTime(String start) {
    String word = start + "9".repeat(3_000_000);
    assertThat(check(OutputMatch.NUMERIC, word, "1")).isNotNull();
    assertThat(check(OutputMatch.NUMERIC, word, word)).isNull();
  }
}
