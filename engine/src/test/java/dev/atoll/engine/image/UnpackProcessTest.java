package dev.atoll.engine.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class UnpackProcessTest {

  @Test
  @Timeout(60)
  void aProgramThatNeverAnswersIsEndedWhenItsTimeIsOver() throws IOException {
    try (UnpackProcess process =
        UnpackProcess.start(List.of("/bin/sleep", "1000"), Duration.ofMillis(200))) {
      assertThatExceptionOfType(AtollException.class)
          .isThrownBy(process::finish)
          .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE))
          .withMessageContaining("too long");
      assertThat(process.process().isAlive()).isFalse();
    }
  }

  @Test
  @Timeout(60)
  void whatIsNoAnswerIsAnError() throws IOException {
    try (UnpackProcess process = UnpackProcess.start(List.of("/bin/echo", "all is well"))) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(process::finish)
          .withMessageContaining("all is well");
    }
  }
}
