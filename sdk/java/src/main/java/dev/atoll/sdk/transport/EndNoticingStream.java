package dev.atoll.sdk.transport;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that remembers whether it was read to its end. */
final class EndNoticingStream extends FilterInputStream {
  private boolean atEnd;

  EndNoticingStream(InputStream in) {
    super(in);
  }

  boolean isAtEnd() {
    return atEnd;
  }

  @Override
  public int read() throws IOException {
    int read = super.read();
    atEnd |= read < 0;
    return read;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int read = super.read(bytes, offset, length);
    atEnd |= read < 0;
    return read;
  }
}
