package dev.atoll.driver.gvisor;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/** Reads and writes the one-value files of control groups. */
final class ControlFile {
  private ControlFile() {}

  static void write(Path file, String value) throws IOException {
    // Only below a group that this driver made, or to hand a controller down to it; never created.
    Files.writeString(file, value, StandardOpenOption.WRITE);
  }

  /** Writes a limit and reads it back: the kernel takes some values and keeps others. */
  static void limit(Path file, String value) {
    String kept;
    try {
      write(file, value);
      kept = read(file);
    } catch (IOException e) {
      throw refused(file, value, e);
    }
    if (!kept.equals(value)) {
      throw refused(file, value, new IOException("the kernel kept " + kept));
    }
  }

  static String read(Path file) throws IOException {
    return Files.readString(file).strip();
  }

  /** A line {@code key value} in a file such as memory.stat; 0 when there is none. */
  static long value(Path file, String key) throws IOException {
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith(key)
          && line.length() > key.length()
          && line.charAt(key.length()) == ' ') {
        return Long.parseLong(line, key.length() + 1, line.length(), 10);
      }
    }
    return 0;
  }

  private static AtollException refused(Path file, String value, IOException cause) {
    return new AtollException(
        cause instanceof NoSuchFileException ? ErrorCode.DRIVER_UNAVAILABLE : ErrorCode.INTERNAL,
        "cannot apply the limit " + value + " in " + file + ": " + cause.getMessage(),
        "Atoll starts no machine without its limits. Run the server as root, with writable control"
            + " groups; `atoll doctor` shows what was found.",
        Map.of(),
        cause);
  }
}
