package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TransferProgressTest {
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private long now;

  @Test
  void nothingIsShownInTheFirstTwoSeconds() throws Exception {
    ByteArrayOutputStream target = new ByteArrayOutputStream();
    try (TransferProgress progress = progress(true)) {
      OutputStream counted = progress.count(target);
      after(1999);
      counted.write(new byte[1 << 20]);
      assertThat(shown()).isEmpty();
      after(2000);
      counted.write(new byte[1 << 20]);
      assertThat(shown()).isEqualTo("\r\u001b[Katoll: exporting: 2.0 MiB, 1.0 MiB/s");
      after(2400);
      counted.write(1);
      assertThat(shown()).endsWith("2.0 MiB, 1.0 MiB/s");
    }
    assertThat(shown()).endsWith("/s\r\u001b[K");
    assertThat(target.size()).isEqualTo((2 << 20) + 1);
  }

  @Test
  void whatIsReadIsCountedToo() throws Exception {
    TransferProgress progress = progress(true);
    InputStream counted = progress.count(new ByteArrayInputStream(new byte[4096]));
    after(4000);
    assertThat(counted.readAllBytes()).hasSize(4096);
    assertThat(shown()).startsWith("\r\u001b[Katoll: exporting: 4.0 KiB, 1.0 KiB/s");
  }

  @Test
  void whereNobodyLooksNothingIsShown() {
    try (TransferProgress progress = progress(false)) {
      after(10_000);
      progress.add(5);
    }
    assertThat(shown()).isEmpty();
  }

  private void after(long millis) {
    now = Duration.ofMillis(millis).toNanos();
  }

  private String shown() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private TransferProgress progress(boolean terminal) {
    Stdio stdio =
        new Stdio(
            InputStream.nullInputStream(),
            new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            terminal,
            terminal,
            terminal,
            Map.of());
    return new TransferProgress(stdio, "exporting", () -> now);
  }
}
