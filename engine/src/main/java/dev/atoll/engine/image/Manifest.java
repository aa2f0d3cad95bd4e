package dev.atoll.engine.image;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What an image consists of.
 *
 * @param settled whether its bytes stay where they are; only then may other images refer to them,
 *     because an image that is still to be compacted gives up its whole files
 * @param ancestors the images it descends from, the nearest first; some may be gone
 */
record Manifest(boolean settled, List<String> ancestors, List<StoredFile> files) {
  /** Of a longer line only the nearest matter: the pages of the others are found through them. */
  static final int KEPT_ANCESTORS = 32;

  Manifest {
    ancestors = List.copyOf(ancestors.subList(0, Math.min(ancestors.size(), KEPT_ANCESTORS)));
    files = List.copyOf(files);
  }

  long totalBytes() {
    return files.stream().mapToLong(StoredFile::size).sum();
  }

  /** The units that hold its bytes. */
  Set<String> units() {
    return files.stream()
        .flatMap(file -> file.extents().stream())
        .filter(extent -> !extent.isZeros())
        .map(Extent::source)
        .distinct()
        .map(Units::of)
        .collect(Collectors.toSet());
  }

  Manifest settledAs(List<StoredFile> settledFiles) {
    return new Manifest(true, ancestors, settledFiles);
  }
}
