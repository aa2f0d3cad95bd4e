package dev.atoll.engine.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The log of an ended run on disk.
 *
 * @param size of the file in bytes
 */
record StoredLog(Path file, long size, RunFiles files) {
  /** What the items take in memory, as far as can be told before they are read. */
  long weight() {
    return 2 * size;
  }

  /** The items anew, behind an empty first one. */
  LogItem read() throws IOException {
    if (Files.size(file) != size) {
      throw new IOException(file + " is not as it was written");
    }
    return LogFormat.decode(Files.readAllBytes(file));
  }

  void remove() {
    files.remove(file, size);
  }
}
