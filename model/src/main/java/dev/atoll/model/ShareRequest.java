package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * Asks for a token to a port.
 *
 * @param ttlSeconds how long it is good for; a day by default, a year at most
 */
public record ShareRequest(int port, @Nullable Double ttlSeconds) {
  private static final double DAY = 86_400;

  public ShareRequest {
    Check.port("port", port);
    Check.range("ttlSeconds", ttlSeconds, 1, 366 * DAY);
  }

  /** How long it is good for, in seconds. */
  public double lifetime() {
    return ttlSeconds == null ? DAY : ttlSeconds;
  }
}
