package dev.atoll.engine.cache;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;

/** Counts what is read, and ends what is larger than any should be. */
final class BoundedStream extends FilterInputStream {
  private final long most;
  private final String what;
  private final LongConsumer counter;
  private long left;

  /**
   * @param what it is, for the error
   */
  BoundedStream(InputStream in, long most, String what, LongConsumer counter) {
    super(in);
    this.most = most;
    this.what = what;
    this.counter = counter;
    this.left = most;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int read = super.read(into, offset, length);
    if (read > 0) {
      left -= read;
      counter.accept(read);
    }
    if (left < 0) {
      throw new IOException(what + " is larger than " + most + " bytes");
    }
    return read;
  }
}
