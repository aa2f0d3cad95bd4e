package dev.atoll.engine.net;

import java.time.Duration;
import java.util.Objects;

/**
 * How ports of sandboxes are reached.
 *
 * @param maxConnections how many a sandbox may have open at once
 * @param idleTimeout after which a connection without a byte in either direction is closed
 * @param connectDeadline how long a connection may take to stand
 */
public record PortSettings(int maxConnections, Duration idleTimeout, Duration connectDeadline) {
  public PortSettings {
    Objects.requireNonNull(idleTimeout);
    Objects.requireNonNull(connectDeadline);
    if (maxConnections < 1) {
      throw new IllegalArgumentException("ports.max-connections must be 1 or more");
    }
    if (idleTimeout.toMillis() < 100) {
      throw new IllegalArgumentException("ports.idle-timeout must be 100 ms or more");
    }
  }

  /** 256 connections; idle after an hour; 15 seconds, which is more than the agent takes. */
  public static PortSettings defaults() {
    return new PortSettings(256, Duration.ofHours(1), Duration.ofSeconds(15));
  }
}
