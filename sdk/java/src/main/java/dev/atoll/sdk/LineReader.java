package dev.atoll.sdk;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads whole lines as they arrive; what a broken connection leaves of a line is not a line. */
final class LineReader {
  private final InputStream in;
  private final byte[] buffer = new byte[16 << 10];
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private int position;
  private int limit;

  LineReader(InputStream in) {
    this.in = in;
  }

  /** The next line without its end, or null at the end of the stream. */
  byte @Nullable [] next() throws IOException {
    line.reset();
    while (true) {
      for (int i = position; i < limit; i++) {
        if (buffer[i] == '\n') {
          line.write(buffer, position, i - position);
          position = i + 1;
          return line.toByteArray();
        }
      }
      line.write(buffer, position, limit - position);
      position = 0;
      limit = Math.max(0, in.read(buffer));
      if (limit == 0) {
        return null;
      }
    }
  }
}
