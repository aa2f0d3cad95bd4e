package dev.atoll.server;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.atoll.model.Visible;
import java.util.stream.Collectors;

/**
 * How an event stands in the log. Guests, callers and registries have a say in messages, also in
 * those of exceptions: nothing of theirs reaches a terminal as a command, and only an event itself
 * begins at the beginning of a line.
 */
final class LogLayout extends PatternLayout {
  private static final String PATTERN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{24} %msg%n";
  private static final String INDENT = "\n    ";

  LogLayout() {
    setPattern(PATTERN);
  }

  @Override
  public String doLayout(ILoggingEvent event) {
    return Visible.lines(super.doLayout(event))
        .lines()
        .filter(line -> !line.isBlank())
        .collect(Collectors.joining(INDENT, "", "\n"));
  }
}
