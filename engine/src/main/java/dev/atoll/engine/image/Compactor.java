package dev.atoll.engine.image;

import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Settles images: decides once where their bytes stay.
 *
 * <p>One at a time, and a parent before its child: a child that referred to the whole files of a
 * parent which then gave them up for a layer would keep both alive.
 */
final class Compactor {
  /** With less than a tenth shared, a layer costs more at every cold open than it saves. */
  private static final int LEAST_SHARED_PERCENT = 10;

  private final Layout layout;
  private final Disk disk;
  private final Catalog catalog;
  private final Register register;
  private final Reclaimer reclaimer;
  private final ReentrantLock turn = new ReentrantLock();

  Compactor(Layout layout, Disk disk, Catalog catalog, Register register, Reclaimer reclaimer) {
    this.layout = layout;
    this.disk = disk;
    this.catalog = catalog;
    this.register = register;
    this.reclaimer = reclaimer;
  }

  void compact(String id) {
    turn.lock();
    try {
      unsettledLine(id).forEach(this::settle);
    } finally {
      turn.unlock();
    }
  }

  /** The image and the ancestors that must be settled before it, the oldest first. */
  private Deque<String> unsettledLine(String id) {
    Deque<String> line = new ArrayDeque<>();
    String next = id;
    while (next != null) {
      Manifest manifest = catalog.find(next);
      if (manifest == null || manifest.settled()) {
        break;
      }
      line.addFirst(next);
      next = nearestAncestor(manifest);
    }
    return line;
  }

  private @Nullable String nearestAncestor(Manifest manifest) {
    for (String ancestor : manifest.ancestors()) {
      if (catalog.find(ancestor) != null) {
        return ancestor;
      }
    }
    return null;
  }

  private void settle(String id) {
    Manifest image;
    Manifest parent;
    Set<String> used = new HashSet<>(Set.of(Units.whole(id), Units.layer(id)));
    synchronized (catalog) {
      image = catalog.find(id);
      if (image == null || image.settled()) {
        return;
      }
      String ancestor = nearestAncestor(image);
      parent = ancestor == null ? null : catalog.find(ancestor);
      if (parent != null) {
        used.addAll(parent.units());
      }
      catalog.pin(used);
    }
    try {
      List<StoredFile> files =
          parent == null || !parent.settled() ? image.files() : split(id, image, parent);
      register.replace(id, image, image.settledAs(files));
    } finally {
      reclaimer.release(used);
    }
  }

  /** The files as extents, with the layer they need on disk for good; unchanged if not worth it. */
  private List<StoredFile> split(String id, Manifest image, Manifest parent) {
    String layer = Units.layer(id);
    try (Sources sources = new Sources(layout)) {
      Comparison comparison = new Comparison(layer, image, parent, sources);
      long shared = image.totalBytes() - comparison.newBytes();
      if (shared * 100 < image.totalBytes() * LEAST_SHARED_PERCENT) {
        return image.files();
      }
      if (comparison.newBytes() > 0) {
        writeLayer(layer, image, comparison, sources);
      }
      return comparison.files();
    }
  }

  private void writeLayer(String layer, Manifest image, Comparison comparison, Sources sources) {
    Path target = layout.unit(layer);
    Path aside = Layout.unfinished(target);
    Disk.unchecked(
        () -> {
          disk.before("create", aside);
          try (FileChannel out = disk.create(aside)) {
            for (int i = 0; i < image.files().size(); i++) {
              copyNewPages(image.files().get(i), comparison.files().get(i), layer, sources, out);
            }
          }
          return target;
        });
    disk.sync(aside);
    disk.rename(aside, target);
    disk.sync(layout.layers());
  }

  /** New pages were given their place in this same order. */
  private void copyNewPages(
      StoredFile whole, StoredFile split, String layer, Sources sources, FileChannel out) {
    long position = 0;
    for (Extent extent : split.extents()) {
      if (extent.source().equals(layer)) {
        FileChannel from = sources.channel(whole.extents().getFirst().source());
        disk.copy(from, position, extent.length(), out, Layout.unfinished(layout.unit(layer)));
      }
      position += extent.length();
    }
  }
}
