package dev.atoll.engine.image;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** An archive of which no more is read than it may have, in all and for the header of an entry. */
final class BoundedArchive extends FilterInputStream {
  private final UnpackBounds bounds;
  private long left;
  private long headerLeft = Long.MAX_VALUE;

  /** More was there than may be. */
  static final class ExceededException extends IOException {
    private static final long serialVersionUID = 1L;

    ExceededException(String message) {
      super(message);
    }
  }

  BoundedArchive(InputStream in, UnpackBounds bounds) {
    super(in);
    this.bounds = bounds;
    this.left = bounds.allBytes();
  }

  void beginHeader() {
    headerLeft = bounds.headerBytes();
  }

  void endHeader() {
    headerLeft = Long.MAX_VALUE;
  }

  @Override
  public int read() throws IOException {
    int b = super.read();
    count(b < 0 ? 0 : 1);
    return b;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int n = super.read(bytes, offset, length);
    count(Math.max(0, n));
    return n;
  }

  @Override
  public long skip(long wanted) throws IOException {
    long most = Math.min(Math.min(headerLeft, left), Integer.MAX_VALUE) + 1;
    long skipped = super.skip(Math.min(wanted, most));
    count(skipped);
    return skipped;
  }

  @Override
  public boolean markSupported() {
    return false;
  }

  private void count(long bytes) throws IOException {
    left -= bytes;
    headerLeft -= bytes;
    if (headerLeft < 0) {
      throw new ExceededException("a header of more than %d bytes".formatted(bounds.headerBytes()));
    }
    if (left < 0) {
      throw new ExceededException(
          "it has more than %d bytes when it is not compressed".formatted(bounds.allBytes()));
    }
  }
}
