package dev.atoll.engine.diff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class UnifiedDiffTest {
  private static String numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> i + "\n").collect(Collectors.joining());
  }

  @Test
  void aChangedLineHasThreeLinesAround() {
    assertThat(UnifiedDiff.of("/x", numbers(0, 10), numbers(0, 10).replace("5\n", "five\n")))
        .isEqualTo(
            """
            --- /x
            +++ /x
            @@ -3,7 +3,7 @@
             2
             3
             4
            -5
            +five
             6
             7
             8
            """);
  }

  @Test
  void equalTextsHaveNoDiff() {
    assertThat(UnifiedDiff.of("/x", "a\n", "a\n")).isEmpty();
    assertThat(UnifiedDiff.of("/x", "", "")).isEmpty();
  }

  @Test
  void anEmptyTextIsFilled() {
    assertThat(UnifiedDiff.of("/x", "", "a\n")).isEqualTo("--- /x\n+++ /x\n@@ -0,0 +1,1 @@\n+a\n");
  }

  @Test
  void aMissingEndOfTheLastLineIsShown() {
    assertThat(UnifiedDiff.of("/x", "a", "a\n")).endsWith("-a\n\\ No newline at end of file\n+a\n");
  }

  @Test
  @Timeout(10)
  void textsWithNothingInCommonTakeNoTime() {
    assertThat(UnifiedDiff.of("/x", "x\n".repeat(131_072), "y\n".repeat(131_072)))
        .contains("@@ -1,131072 +1,131072 @@");
    assertThatCode(() -> UnifiedDiff.of("/x", numbers(0, 5000), numbers(5000, 10_000)))
        .doesNotThrowAnyException();
  }
}
