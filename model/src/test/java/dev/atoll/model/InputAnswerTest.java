package dev.atoll.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InputAnswerTest {
  @Test
  void itIsALineOrTheEnd() {
    assertThat(InputAnswer.text("q1", "").text()).isEmpty();
    assertThat(InputAnswer.endOfInput("q1").eof()).isTrue();
    refused("text", () -> new InputAnswer("q1", null, null));
    refused("text", () -> new InputAnswer("q1", "x", true));
    refused("eof", () -> new InputAnswer("q1", null, false));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nb", "a\r", "\u0000"})
  void whatIsNoLineIsRefused(String text) {
    refused("text", () -> InputAnswer.text("q1", text));
  }

  @Test
  void itIsBounded() {
    assertThat(InputAnswer.text("q1", "🎈".repeat(16_000)).text()).isNotNull();
    refused("text", () -> InputAnswer.text("q1", "x".repeat(16_001)));
    refused("id", () -> InputAnswer.text("q".repeat(65), "x"));
    refused("id", () -> InputAnswer.text("", "x"));
  }

  @Test
  void itDoesNotSayWhatItHolds() {
    InputAnswer answer = InputAnswer.text("q1", "hunter2");
    assertThat(answer.toString()).contains("q1").doesNotContain("hunter2");
  }

  private static void refused(String field, Runnable making) {
    assertThatThrownBy(making::run)
        .isInstanceOfSatisfying(
            AtollException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
              assertThat(e.getMessage()).startsWith(field).doesNotContain("a\nb");
            });
  }
}
