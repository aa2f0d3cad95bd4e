package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The end of a log, for messages. */
final class LogTail {
  private static final int BYTES = 2048;

  private LogTail() {}

  /** Empty when there is no log. Control characters are left out: a guest may have caused them. */
  static String of(Path file) {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      in.seek(Math.max(0, in.length() - BYTES));
      byte[] bytes = new byte[BYTES];
      int read = Math.max(0, in.read(bytes));
      return new String(bytes, 0, read, StandardCharsets.UTF_8)
          .replaceAll("[\\p{Cntrl}&&[^\\n]]", "")
          .strip();
    } catch (IOException e) {
      return "";
    }
  }
}
