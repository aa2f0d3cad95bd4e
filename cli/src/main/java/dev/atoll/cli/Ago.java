package dev.atoll.cli;

import java.time.Duration;
import java.time.Instant;

/** Spans of time as people say them. */
final class Ago {
  private Ago() {}

  static String since(Instant then) {
    return brief(Duration.between(then, Instant.now()));
  }

  static String until(Instant then) {
    return brief(Duration.between(Instant.now(), then));
  }

  static String brief(Duration span) {
    long seconds = Math.max(0, span.toSeconds());
    if (seconds < 60) {
      return seconds + "s";
    }
    if (seconds < 3600) {
      return seconds / 60 + "m";
    }
    return seconds < 172_800 ? seconds / 3600 + "h" : seconds / 86_400 + "d";
  }
}
