package dev.atoll.server.http;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;

/** Whether the server is on its way out. Streams look at it between two events. */
final class Shutdown {
  private volatile boolean begun;

  void begin() {
    begun = true;
  }

  boolean begun() {
    return begun;
  }

  /** Refuses new work once the server is stopping. */
  void check() {
    if (begun) {
      throw new AtollException(
          ErrorCode.SHUTTING_DOWN, "the server is stopping", "Try again in a moment.");
    }
  }
}
