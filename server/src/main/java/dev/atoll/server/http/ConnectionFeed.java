package dev.atoll.server.http;

import dev.atoll.model.Connection;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Connections between the threads that make them, which must not wait, and the one that tells a
 * caller of them. What a slow caller has no room for is counted and left out.
 */
final class ConnectionFeed {
  static final int ROOM = 1024;

  /** What so many may take. */
  static final long WEIGHT = ROOM * 1024L;

  private final BlockingQueue<Connection> waiting = new ArrayBlockingQueue<>(ROOM);
  private final AtomicLong missed = new AtomicLong();
  private final ConnectionFilter filter;

  ConnectionFeed(ConnectionFilter filter) {
    this.filter = filter;
  }

  /** Takes it if the caller wants to see it; never waits. */
  void offer(Connection connection) {
    if (filter.matches(connection) && !waiting.offer(connection)) {
      missed.incrementAndGet();
    }
  }

  /** The next one; null when none has come in time. */
  @Nullable Connection next(Duration patience) {
    try {
      return waiting.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Shutdown.stopping();
    }
  }

  /** How many were left out since this was last asked. */
  long missed() {
    return missed.getAndSet(0);
  }
}
