package dev.atoll.engine.files;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Records that end with NUL, each character standing for one byte. */
public final class NulRecords implements AutoCloseable {
  /** Longer than any path that a system call takes, twice. */
  private static final int MOST = 16 << 10;

  private final InputStream in;

  public NulRecords(InputStream in) {
    this.in = new BufferedInputStream(in, 64 << 10);
  }

  /**
   * The next record; null at the end.
   *
   * @throws IOException also for a record that is too long, or cut off
   */
  public @Nullable String next() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(160);
    for (int b = in.read(); b != 0; b = in.read()) {
      if (b < 0) {
        if (bytes.size() > 0) {
          throw new IOException("the last record is cut off");
        }
        return null;
      }
      if (bytes.size() == MOST) {
        throw new IOException("a record has more than " + MOST + " bytes");
      }
      bytes.write(b);
    }
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
