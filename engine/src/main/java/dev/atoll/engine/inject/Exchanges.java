package dev.atoll.engine.inject;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The requests of a connection that have no response yet. Thread-safe. */
final class Exchanges {
  private final Deque<Exchange> open = new ArrayDeque<>();
  private boolean closed;

  synchronized void add(Exchange exchange) {
    if (closed) {
      exchange.ended(Exchange.Outcome.CLOSED);
    } else {
      open.add(exchange);
    }
  }

  /** The oldest; null when nothing was asked. */
  synchronized @Nullable Exchange poll() {
    return open.poll();
  }

  /** No response will come any more. */
  synchronized void close() {
    closed = true;
    open.forEach(exchange -> exchange.ended(Exchange.Outcome.CLOSED));
    open.clear();
  }
}
