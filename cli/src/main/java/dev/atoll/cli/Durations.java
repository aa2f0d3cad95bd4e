package dev.atoll.cli;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code 90}, {@code 90s}, {@code 1.5m}, {@code 2h}, {@code 7d} and {@code 500ms}. */
final class Durations {
  private static final Pattern FORM =
      Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,3})?)(ms|s|m|h|d)?");

  private Durations() {}

  static Optional<Duration> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String unit = matcher.group(2);
    double millis = Double.parseDouble(matcher.group(1)) * millisOf(unit == null ? "s" : unit);
    return Optional.of(Duration.ofMillis(Math.round(millis)));
  }

  private static long millisOf(String unit) {
    return switch (unit) {
      case "ms" -> 1;
      case "m" -> 60_000;
      case "h" -> 3_600_000;
      case "d" -> 86_400_000;
      default -> 1000;
    };
  }
}
