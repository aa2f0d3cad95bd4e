package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * How it is seen whether the program of a service works.
 *
 * @param path asked for with GET, which must be answered with a status from 200 to 399; when left
 *     out, it is enough that the program takes connections
 * @param intervalSeconds how often an instance is asked; 10 by default
 * @param timeoutSeconds how long it may take to answer; 5 by default
 */
public record HealthCheck(
    @Nullable String path, @Nullable Double intervalSeconds, @Nullable Double timeoutSeconds) {
  private static final double INTERVAL = 10;
  private static final double TIMEOUT = 5;

  public HealthCheck {
    Check.that(
        path == null || path.matches("/[!-~]{0,1000}"),
        "health.path",
        "must begin with / and hold no spaces");
    Check.range("health.intervalSeconds", intervalSeconds, 0.2, 3600);
    Check.range("health.timeoutSeconds", timeoutSeconds, 0.1, 600);
  }

  /** That connections are taken. */
  public static HealthCheck standard() {
    return new HealthCheck(null, null, null);
  }

  /** How often an instance is asked, in seconds. */
  public double interval() {
    return intervalSeconds == null ? INTERVAL : intervalSeconds;
  }

  /** How long an answer may take, in seconds. */
  public double timeout() {
    return timeoutSeconds == null ? TIMEOUT : timeoutSeconds;
  }
}
