package dev.atoll.engine.image;

/**
 * A run of bytes of a checkpoint file, and where they are.
 *
 * @param source a file below the store's folder, or {@link #ZEROS}, which takes no room anywhere
 */
record Extent(String source, long offset, long length) {
  static final String ZEROS = "";

  Extent {
    if (offset < 0 || length <= 0 || offset + length < 0) {
      throw new IllegalArgumentException(length + " bytes at " + offset);
    }
  }

  boolean isZeros() {
    return source.equals(ZEROS);
  }

  long end() {
    return offset + length;
  }

  /** Whether the other goes on where this one ends. */
  boolean continuedBy(Extent next) {
    return source.equals(next.source) && (isZeros() || next.offset == end());
  }

  Extent extendedBy(long more) {
    return new Extent(source, offset, length + more);
  }
}
