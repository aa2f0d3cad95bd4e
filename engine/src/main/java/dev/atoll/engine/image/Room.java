package dev.atoll.engine.image;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** How many bytes an archive may still bring; one that claims more is refused before it does. */
final class Room {
  /** More than any root file system; bounds how long an archive can keep us reading. */
  private static final long MOST_SKIPPED = 1L << 40;

  private long left;

  private Room(long bytes) {
    this.left = bytes;
  }

  /** What a disk has free, less a twentieth of it all that others may need. */
  static Room on(Path folder) throws IOException {
    FileStore store = Files.getFileStore(folder);
    return new Room(store.getUsableSpace() - store.getTotalSpace() / 20);
  }

  /** For bytes that are read and not kept. */
  static Room toSkip() {
    return new Room(MOST_SKIPPED);
  }

  void take(long bytes) {
    if (bytes < 0 || bytes > left) {
      throw Archive.invalid("it claims %d more bytes, there is room for %d".formatted(bytes, left));
    }
    left -= bytes;
  }
}
