package dev.atoll.driver.gvisor;

import dev.atoll.model.Visible;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The end of a log, for messages. */
final class LogTail {
  private static final int BYTES = 2048;

  private LogTail() {}

  /** Empty when there is no log. What is not seen is made visible: a guest may have caused it. */
  static String of(Path file) {
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      in.seek(Math.max(0, in.length() - BYTES));
      byte[] bytes = new byte[BYTES];
      int read = Math.max(0, in.read(bytes));
      return Visible.lines(new String(bytes, 0, read, StandardCharsets.UTF_8)).strip();
    } catch (IOException e) {
      return "";
    }
  }
}
