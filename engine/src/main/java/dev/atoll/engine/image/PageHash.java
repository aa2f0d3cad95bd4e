package dev.atoll.engine.image;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A fast hash of pages, seeded so that a guest cannot prepare pages that fall together. Finding
 * equal pages is all it is good for: whoever finds two compares their bytes.
 */
final class PageHash {
  private static final long FIRST = 0x9e3779b97f4a7c15L;
  private static final long SECOND = 0xbf58476d1ce4e5b9L;

  private final long seed = ThreadLocalRandom.current().nextLong();

  long of(MemorySegment page) {
    long length = page.byteSize();
    long words = length / Long.BYTES * Long.BYTES;
    long hash = seed ^ length;
    long position = 0;
    for (; position < words; position += Long.BYTES) {
      hash =
          Long.rotateLeft((hash ^ page.get(ValueLayout.JAVA_LONG_UNALIGNED, position)) * FIRST, 29);
    }
    for (; position < length; position++) {
      hash = Long.rotateLeft((hash ^ page.get(ValueLayout.JAVA_BYTE, position)) * FIRST, 29);
    }
    hash = (hash ^ (hash >>> 32)) * SECOND;
    return hash ^ (hash >>> 29);
  }
}
