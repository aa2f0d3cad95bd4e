package dev.atoll.engine.image;

import java.util.List;

/** One file of a checkpoint: its name, and where its bytes are, first to last. */
record StoredFile(String name, List<Extent> extents) {
  StoredFile {
    Units.checkName(name);
    extents = List.copyOf(extents);
  }

  long size() {
    return extents.stream().mapToLong(Extent::length).sum();
  }

  /** A file that is stored as it is. */
  static StoredFile whole(String unit, String name, long size) {
    return new StoredFile(
        name, size == 0 ? List.of() : List.of(new Extent(unit + "/" + name, 0, size)));
  }
}
