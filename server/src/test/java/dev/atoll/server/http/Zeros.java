package dev.atoll.server.http;

import java.io.InputStream;
import java.util.Arrays;

/** A stream of so many zeros. */
final class Zeros extends InputStream {
  private long left;

  Zeros(long count) {
    left = count;
  }

  @Override
  public int read() {
    return left-- > 0 ? 0 : -1;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) {
    int count = (int) Math.min(length, left);
    Arrays.fill(bytes, offset, offset + count, (byte) 0);
    left -= count;
    return count == 0 ? -1 : count;
  }
}
