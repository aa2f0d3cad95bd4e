package dev.atoll.engine.image;

/**
 * What the archives of one template may have together.
 *
 * @param fileBytes of all files
 * @param allBytes of the archives when they are not compressed
 * @param entries how many
 * @param headerBytes before the content of one entry: long names, attributes, maps of holes
 * @param directoryText of the paths of all directories
 */
record UnpackBounds(
    long fileBytes, long allBytes, int entries, long headerBytes, long directoryText) {
  private static final int MOST_ENTRIES = 3_000_000;
  private static final long MOST_HEADER = 1L << 20;
  private static final long MOST_DIRECTORY_TEXT = 64L << 20;

  /** A header, what fills up its last block, and some more attributes. */
  private static final long BYTES_OF_AN_ENTRY = 2048;

  UnpackBounds {
    if (fileBytes < 0 || allBytes < 0 || entries < 0 || headerBytes < 512 || directoryText < 0) {
      throw new IllegalArgumentException("bounds must be positive");
    }
  }

  static UnpackBounds of(long fileBytes) {
    return new UnpackBounds(
        fileBytes,
        fileBytes + MOST_ENTRIES * BYTES_OF_AN_ENTRY,
        MOST_ENTRIES,
        MOST_HEADER,
        MOST_DIRECTORY_TEXT);
  }
}
