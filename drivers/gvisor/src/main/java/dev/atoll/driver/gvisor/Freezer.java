package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * The part of a tree of control groups that stops all processes of a group where they are.
 *
 * @param mount the tree of the {@code freezer} controller of version 1, or that of version 2
 */
record Freezer(Path mount, boolean version1) {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /**
   * A process that is just being made, and waits for one that stands still already, never freezes.
   * It takes another moment, not more time.
   */
  private static final Duration ATTEMPT = Duration.ofMillis(200);

  private static final Duration POLL = Duration.ofMillis(1);

  /** Returns when everything in the group stands still. */
  void freeze(Path group) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!attempt(group)) {
      set(group, false);
      if (System.nanoTime() > deadline) {
        throw new IOException(group + " does not freeze");
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  private boolean attempt(Path group) throws IOException {
    set(group, true);
    long deadline = System.nanoTime() + ATTEMPT.toNanos();
    while (!isFrozen(group)) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
    return true;
  }

  void thaw(Path group) throws IOException {
    set(group, false);
  }

  private void set(Path group, boolean frozen) throws IOException {
    if (version1) {
      ControlFile.write(group.resolve("freezer.state"), frozen ? "FROZEN" : "THAWED");
    } else {
      ControlFile.write(group.resolve("cgroup.freeze"), frozen ? "1" : "0");
    }
  }

  private boolean isFrozen(Path group) throws IOException {
    return version1
        ? ControlFile.read(group.resolve("freezer.state")).equals("FROZEN")
        : ControlFile.value(group.resolve("cgroup.events"), "frozen") == 1;
  }
}
