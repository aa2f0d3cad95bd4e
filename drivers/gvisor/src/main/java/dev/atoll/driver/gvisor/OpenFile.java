package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * A file that is open in this process, by its number.
 *
 * @param descriptor closed by this object alone
 */
record OpenFile(int descriptor) implements AutoCloseable {
  private static final int READ_ONLY = 0;
  private static final int READ_AND_WRITE = 2;
  private static final int CLOSE_ON_EXEC = 0x80000;
  private static final int BEGIN_WRITING = 2;
  private static final int SHARED_WITHOUT_WAITING = 1 | 4;

  static OpenFile toRead(Path file) throws IOException {
    return open(file, READ_ONLY);
  }

  /** The file is there already. */
  static OpenFile toWrite(Path file) throws IOException {
    return open(file, READ_AND_WRITE);
  }

  private static OpenFile open(Path file, int flags) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      // Safe: the name lives until after the call, and without O_CREAT there is no third argument.
      return new OpenFile(
          (int) SystemCalls.OPEN.call(arena.allocateFrom(file.toString()), flags | CLOSE_ON_EXEC));
    } catch (IOException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  /** Lets the disk begin with what was written so far; does not wait for it. */
  void beginWriteback() throws IOException {
    // Safe: the descriptor is open until close(), and the call takes numbers alone.
    SystemCalls.SYNC_RANGE.call(descriptor, 0L, 0L, BEGIN_WRITING);
  }

  /**
   * Locks the file against changes, until all who were given this descriptor have closed it. Never
   * waits, since a sandbox that was taken over may hold a lock for ever.
   *
   * @return false if somebody is changing it, or it cannot be locked
   */
  boolean shareLock() {
    try {
      // Safe: the descriptor is open until close(), and the call takes numbers alone.
      SystemCalls.LOCK.call(descriptor, SHARED_WITHOUT_WAITING);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    // Safe: nobody else closes the descriptor, so it is still this file's.
    SystemCalls.CLOSE.call(descriptor);
  }
}
