package dev.atoll.server.http;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.time.Duration;
import java.util.function.IntSupplier;

/**
 * Whether the server is on its way out. Streams look at it between two events and end by
 * themselves, before the engine lets go of the runs that they follow.
 */
final class Shutdown {
  /** How soon a silent stream looks again. */
  static final Duration TICK = Duration.ofMillis(250);

  private volatile boolean begun;
  private int streams;
  private int calls;

  void begin() {
    begun = true;
  }

  boolean begun() {
    return begun;
  }

  /** Refuses new work once the server is stopping. */
  void check() {
    if (begun) {
      throw stopping();
    }
  }

  /** Notes a stream until it is closed. */
  synchronized Stream stream() {
    streams++;
    return () -> ended(() -> streams--);
  }

  /** Notes a call until it is answered; streams are calls too. */
  synchronized Stream call() {
    calls++;
    return () -> ended(() -> calls--);
  }

  /** Waits for the streams to end, but not for callers who do not read what they are sent. */
  void awaitStreams(Duration patience) {
    await(() -> streams, patience);
  }

  /** The same for calls, which are answered once the engine has let go of what they wait for. */
  void awaitCalls(Duration patience) {
    await(() -> calls, patience);
  }

  private synchronized void await(IntSupplier count, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    try {
      for (long left = patience.toMillis(); count.getAsInt() > 0 && left > 0; ) {
        wait(left);
        left = (deadline - System.nanoTime()) / 1_000_000;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static AtollException stopping() {
    return new AtollException(
        ErrorCode.SHUTTING_DOWN,
        "the server is stopping",
        "Try again in a moment; what runs in sandboxes goes on.");
  }

  private synchronized void ended(Runnable change) {
    change.run();
    notifyAll();
  }

  /** An answer that goes on. */
  interface Stream extends AutoCloseable {
    @Override
    void close();
  }
}
