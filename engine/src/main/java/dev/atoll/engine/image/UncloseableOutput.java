package dev.atoll.engine.image;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** A stream that somebody else closes: whoever writes an archive into it only flushes it. */
final class UncloseableOutput extends FilterOutputStream {
  UncloseableOutput(OutputStream target) {
    super(target);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    // The one of the superclass writes byte by byte.
    out.write(bytes, offset, length);
  }

  @Override
  public void close() throws IOException {
    flush();
  }
}
