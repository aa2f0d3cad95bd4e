package dev.atoll.engine.image;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Removes what a process that died has left, and images that nobody knows. */
final class Sweep {
  private final Layout layout;
  private final Disk disk;
  private final Catalog catalog;
  private final Register register;
  private final Reclaimer reclaimer;
  private final List<String> removed = new ArrayList<>();

  Sweep(Layout layout, Disk disk, Catalog catalog, Register register, Reclaimer reclaimer) {
    this.layout = layout;
    this.disk = disk;
    this.catalog = catalog;
    this.register = register;
    this.reclaimer = reclaimer;
  }

  List<String> run(Set<String> known, Set<String> begun) {
    removeUnfinished(layout.folder());
    removeUnfinished(layout.manifests());
    removeUnfinished(layout.layers());
    removeUnfinished(layout.copiesOfThisBoot());
    removeCopiesOfEarlierBoots();
    List<String> ids = new ArrayList<>(catalog.ids());
    ids.addAll(register.damaged());
    for (String id : ids) {
      if (!known.contains(id) && !begun.contains(id)) {
        removed.add("image " + id + " was not made by this server's database: left as it is");
      } else if (!known.contains(id)) {
        register.remove(id).forEach(reclaimer::collect);
        removed.add("unknown image " + id);
      }
    }
    collect(layout.whole());
    collect(layout.layers());
    collect(layout.copiesOfThisBoot());
    return List.copyOf(removed);
  }

  private void removeUnfinished(Path folder) {
    for (Path path : Disk.list(folder)) {
      String name = path.getFileName().toString();
      if (name.startsWith(Layout.NEW) || name.startsWith(Layout.OLD)) {
        disk.deleteTree(path);
        removed.add("unfinished " + layout.folder().relativize(path));
      }
    }
  }

  private void removeCopiesOfEarlierBoots() {
    for (Path copies : Disk.list(layout.copies())) {
      if (!copies.equals(layout.copiesOfThisBoot())) {
        disk.deleteTree(copies);
        removed.add("copies of an earlier boot " + layout.folder().relativize(copies));
      }
    }
  }

  /** Also finishes giving back the parts of units whose images are gone. */
  private void collect(Path folder) {
    for (Path path : Disk.list(folder)) {
      String unit = layout.folder().relativize(path).toString();
      if (reclaimer.collect(unit)) {
        removed.add("unreferenced " + unit);
      }
    }
  }
}
