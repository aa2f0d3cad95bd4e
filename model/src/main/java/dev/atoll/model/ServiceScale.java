package dev.atoll.model;

/**
 * How many instances a service has.
 *
 * @param min how many are always awake
 * @param max how many there may be
 * @param idleSeconds how long one above {@code min} may be without a request before it is
 *     hibernated
 * @param concurrency how many requests one is given at once
 */
public record ServiceScale(int min, int max, double idleSeconds, int concurrency) {
  static final double IDLE_SECONDS = 60;
  static final int CONCURRENCY = 10;

  public ServiceScale {
    ServiceSpec.scale(min, max, idleSeconds, concurrency);
  }
}
