package dev.atoll.server.it;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;

/**
 * Keeps other processes of the tests from something that they share, until it is closed or this
 * process has ended.
 */
final class Turn implements AutoCloseable {
  private final FileChannel held;

  private Turn(FileChannel held) {
    this.held = held;
  }

  /** Waits until nobody else has it. */
  static Turn of(String what) throws IOException {
    FileChannel file =
        FileChannel.open(
            TestHome.shared().resolve(what + ".lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE);
    boolean ours = false;
    try {
      ours = file.lock().isValid();
      return new Turn(file);
    } finally {
      if (!ours) {
        file.close();
      }
    }
  }

  @Override
  public void close() throws IOException {
    held.close();
  }
}
