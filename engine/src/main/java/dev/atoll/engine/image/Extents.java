package dev.atoll.engine.image;

import java.util.ArrayList;
import java.util.List;

/** The extents of one file as they are found, neighbours merged. */
final class Extents {
  private final List<Extent> extents = new ArrayList<>();

  void add(Extent next) {
    if (!extents.isEmpty() && extents.getLast().continuedBy(next)) {
      extents.set(extents.size() - 1, extents.getLast().extendedBy(next.length()));
    } else {
      extents.add(next);
    }
  }

  List<Extent> list() {
    return List.copyOf(extents);
  }
}
