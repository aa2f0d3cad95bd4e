package dev.atoll.engine.image;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Splits a whole image into the pages that its parent has and those that are new. */
final class Comparison {
  private static final MemorySegment ZERO_PAGE = MemorySegment.ofArray(new byte[PageIndex.PAGE]);

  private final String layer;
  private final List<StoredFile> files = new ArrayList<>();
  private long newBytes;

  /**
   * @param layer the name of the source that the new pages are to be written to, one after the
   *     other
   */
  Comparison(String layer, Manifest image, Manifest parent, Sources sources) {
    this.layer = layer;
    PageIndex index = new PageIndex(parent, sources);
    for (StoredFile file : image.files()) {
      Extents extents = new Extents();
      for (Extent extent : file.extents()) {
        split(sources.memory(extent), index, extents);
      }
      files.add(new StoredFile(file.name(), extents.list()));
    }
  }

  private void split(MemorySegment content, PageIndex index, Extents extents) {
    for (long position = 0; position < content.byteSize(); position += PageIndex.PAGE) {
      long length = Math.min(PageIndex.PAGE, content.byteSize() - position);
      MemorySegment page = content.asSlice(position, length);
      if (page.mismatch(ZERO_PAGE.asSlice(0, length)) == -1) {
        extents.add(new Extent(Extent.ZEROS, 0, length));
        continue;
      }
      Extent shared = index.find(page);
      if (shared == null) {
        shared = new Extent(layer, newBytes, length);
        newBytes += length;
      }
      extents.add(shared);
    }
  }

  List<StoredFile> files() {
    return List.copyOf(files);
  }

  long newBytes() {
    return newBytes;
  }
}
