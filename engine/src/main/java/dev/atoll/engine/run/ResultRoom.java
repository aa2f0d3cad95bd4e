package dev.atoll.engine.run;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that the results of all runs may take at the same time. Sandboxes decide what they
 * show and how often; without a bound for all of them, a few could fill the server.
 */
final class ResultRoom {
  /** There is one heap, so there is one room. */
  static final ResultRoom SHARED = new ResultRoom(Runtime.getRuntime().maxMemory() / 8);

  private final AtomicLong free;

  ResultRoom(long bytes) {
    this.free = new AtomicLong(bytes);
  }

  /** Takes room; false, and nothing taken, when there is not so much. */
  boolean take(long bytes) {
    if (free.addAndGet(-bytes) >= 0) {
      return true;
    }
    free.addAndGet(bytes);
    return false;
  }

  void give(long bytes) {
    free.addAndGet(bytes);
  }

  long free() {
    return free.get();
  }
}
