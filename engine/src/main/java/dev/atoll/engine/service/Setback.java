package dev.atoll.engine.service;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why no instance of a service could be brought up lately, and how long to wait before the next
 * attempt. The service's lock guards it.
 */
final class Setback {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
  private static final int MOST_DOUBLINGS = 10;

  private int failures;
  private long retryAt = System.nanoTime();
  private @Nullable String problem;
  private List<String> lastWords = List.of();

  /** Another attempt has failed. */
  void note(String why, List<String> words) {
    problem = why;
    lastWords = words;
    long pause = FIRST_PAUSE.toNanos() << Math.min(failures, MOST_DOUBLINGS);
    retryAt = System.nanoTime() + Math.min(pause, LONGEST_PAUSE.toNanos());
    failures++;
  }

  /** An instance works. */
  void over() {
    problem = null;
    lastWords = List.of();
    failures = 0;
    retryAt = System.nanoTime();
  }

  /** What is wrong; null when nothing is. */
  @Nullable String problem() {
    return problem;
  }

  /** What the program of the last attempt said. */
  List<String> lastWords() {
    return lastWords;
  }

  /** How long it is too early to try again; zero when it is not. */
  Duration pause() {
    return Duration.ofNanos(Math.max(0, retryAt - System.nanoTime()));
  }
}
