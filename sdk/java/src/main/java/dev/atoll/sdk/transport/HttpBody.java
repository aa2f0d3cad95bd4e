package dev.atoll.sdk.transport;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a request carries. */
public interface HttpBody {
  /** Its number of bytes, or -1 when that is not known before its end. */
  long length();

  /** The bytes from the first one on. */
  InputStream open() throws IOException;

  /** Whether {@link #open()} can be called again, so that the request can be sent again. */
  boolean repeatable();

  /** A body that is in memory. */
  static HttpBody of(byte[] bytes) {
    return new Source(bytes.length, true, () -> new ByteArrayInputStream(bytes));
  }

  /** The content of a file, read while it is sent. */
  static HttpBody of(Path file) {
    try {
      return new Source(Files.size(file), true, () -> Files.newInputStream(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A stream, read while it is sent; it can be sent once. */
  static HttpBody of(InputStream stream) {
    return new Source(-1, false, () -> stream);
  }
}
