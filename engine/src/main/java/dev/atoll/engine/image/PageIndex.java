package dev.atoll.engine.image;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds pages of a settled image by their content. Pages are counted through all its files; of
 * equal ones the first is found, unless the page after the last one found is equal too: runs of
 * pages stay runs that way, and most lookups need no hash.
 */
final class PageIndex {
  static final int PAGE = 4096;

  private final PageHash hash = new PageHash();
  private final Sources sources;
  private final List<Extent> extents = new ArrayList<>();

  /** Per extent the number of its first page, and the number of all pages at the end. */
  private final long[] firstPages;

  /** Open addressing; a slot is free when its page is negative. */
  private final long[] hashes;

  private final int[] pages;
  private int lastExtent;
  private long expected;

  PageIndex(Manifest image, Sources sources) {
    this.sources = sources;
    image.files().forEach(file -> extents.addAll(file.extents()));
    firstPages = new long[extents.size() + 1];
    for (int i = 0; i < extents.size(); i++) {
      firstPages[i + 1] = firstPages[i] + Math.ceilDiv(extents.get(i).length(), PAGE);
    }
    int count = Math.toIntExact(firstPages[extents.size()]);
    int capacity = Integer.highestOneBit(Math.clamp(count * 4L, 16, 1 << 30));
    hashes = new long[capacity];
    pages = new int[capacity];
    Arrays.fill(pages, -1);
    for (int page = 0; page < count; page++) {
      MemorySegment bytes = bytes(page, PAGE);
      if (bytes != null) {
        insert(hash.of(bytes), page);
      }
    }
  }

  /** Where the same bytes are, one extent of their length; null if they are nowhere. */
  @Nullable Extent find(MemorySegment page) {
    if (isAt(page, expected)) {
      return found(expected, page.byteSize());
    }
    long wanted = hash.of(page);
    int mask = hashes.length - 1;
    for (int slot = (int) wanted & mask; pages[slot] >= 0; slot = (slot + 1) & mask) {
      if (hashes[slot] == wanted) {
        return isAt(page, pages[slot]) ? found(pages[slot], page.byteSize()) : null;
      }
    }
    return null;
  }

  private Extent found(long page, long length) {
    expected = page + 1;
    Extent extent = extents.get(lastExtent);
    return new Extent(extent.source(), offset(page), length);
  }

  private boolean isAt(MemorySegment wanted, long page) {
    MemorySegment bytes = bytes(page, wanted.byteSize());
    return bytes != null && bytes.byteSize() == wanted.byteSize() && bytes.mismatch(wanted) == -1;
  }

  private void insert(long value, int page) {
    int mask = hashes.length - 1;
    int slot = (int) value & mask;
    while (pages[slot] >= 0) {
      if (hashes[slot] == value) {
        return;
      }
      slot = (slot + 1) & mask;
    }
    hashes[slot] = value;
    pages[slot] = page;
  }

  /**
   * The bytes of a page, at most so many; null for one of zeros or past the end. Never more than
   * the image refers to: what comes after an extent in its source may be given back at any time.
   */
  private @Nullable MemorySegment bytes(long page, long most) {
    if (page >= firstPages[extents.size()]) {
      return null;
    }
    locate(page);
    Extent extent = extents.get(lastExtent);
    if (extent.isZeros()) {
      return null;
    }
    long offset = offset(page);
    return sources.memory(extent.source()).asSlice(offset, Math.min(most, extent.end() - offset));
  }

  private long offset(long page) {
    return extents.get(lastExtent).offset() + (page - firstPages[lastExtent]) * PAGE;
  }

  private void locate(long page) {
    if (page >= firstPages[lastExtent] && page < firstPages[lastExtent + 1]) {
      return;
    }
    int found = Arrays.binarySearch(firstPages, page);
    lastExtent = found >= 0 ? found : -found - 2;
  }
}
