package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class LogLayoutTest {

  private static String logged(String message, @Nullable Throwable failure, Object... arguments) {
    LoggerContext context = new LoggerContext();
    LogLayout layout = new LogLayout();
    layout.setContext(context);
    layout.start();
    return layout.doLayout(
        new LoggingEvent(
            "", context.getLogger("dev.atoll.Test"), Level.WARN, message, failure, arguments));
  }

  @Test
  void whatAGuestSaidIsShownAndNotDone() {
    String said = "\u001b[2J\u001b]0;title\u0007 a\rb \u009b31m \u202egnp.exe \u2028 \u007f\u0000";
    String line = logged("tar: {}", null, said);
    assertThat(line).endsWith("\n").contains("tar: ^[[2J^[]0;title^G a^Mb ?31m ?gnp.exe ? ?^@");
    assertThat(line.strip().chars()).noneMatch(c -> c < ' ' || c == 0x7f || c == 0x9b);
  }

  @Test
  void onlyAnEventBeginsALine() {
    String forged = "x\n2026-01-01T00:00:00.000Z INFO  d.atoll.Main all is well\n";
    String text = logged("tar: {}", new IllegalStateException(forged), forged);
    assertThat(text.lines().skip(1)).isNotEmpty().allMatch(line -> line.startsWith("    "));
    assertThat(text).contains("java.lang.IllegalStateException", "\tat ");
  }
}
