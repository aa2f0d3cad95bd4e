package dev.atoll.engine.cache;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** What a program sends with a request: so many bytes of its connection, which stays open. */
final class SentBody extends InputStream {
  private final InputStream in;
  private volatile int left;

  SentBody(InputStream in, int length) {
    this.in = in;
    this.left = length;
  }

  /** How much has not been read yet. */
  int left() {
    return left;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int before = left;
    if (before == 0) {
      return -1;
    }
    int read = in.read(into, offset, Math.min(length, before));
    if (read < 0) {
      throw new EOFException("the request broke off");
    }
    left = before - read;
    return read;
  }
}
