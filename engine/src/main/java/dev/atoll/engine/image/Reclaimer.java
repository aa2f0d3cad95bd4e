package dev.atoll.engine.image;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Frees what nobody needs: a unit that no manifest refers to is removed; of one that outlives its
 * image because relatives refer to parts of it, the other parts are given back.
 */
final class Reclaimer {
  /** A machine reads on for some seconds after it was restored. */
  private static final Duration POSTPONEMENT = Duration.ofSeconds(5);

  private final Layout layout;
  private final Disk disk;
  private final Catalog catalog;
  private final Register register;

  /** Units of which a machine still reads files that are to be changed. */
  private final Set<String> postponed = ConcurrentHashMap.newKeySet();

  Reclaimer(Layout layout, Disk disk, Catalog catalog, Register register) {
    this.layout = layout;
    this.disk = disk;
    this.catalog = catalog;
    this.register = register;
  }

  /** Ends the use of units, and frees them if that was all that kept them. */
  void release(Collection<String> units) {
    catalog.unpin(units);
    units.forEach(this::collect);
  }

  /**
   * Looks whether a unit is still needed, and does not mind if it is gone already. A unit in use is
   * left to whoever ends its use.
   *
   * @return whether it was removed
   */
  boolean collect(String unit) {
    Path removed;
    synchronized (catalog) {
      if (catalog.isPinned(unit) || catalog.isReady(unit) || mayBeMissed(unit)) {
        return false;
      }
      if (catalog.isReferred(unit)) {
        removed = null;
        Manifest owner = catalog.find(Units.image(unit));
        if (owner != null && owner.units().contains(unit)) {
          return false;
        }
        // From here on nobody removes it, and nobody makes another one of that name.
        catalog.pin(List.of(unit));
      } else {
        removed = moveAway(unit);
        if (removed == null) {
          return false;
        }
      }
    }
    if (removed != null) {
      disk.deleteTree(removed);
      return true;
    }
    return giveBackPinned(unit);
  }

  /** Whether a manifest that cannot be read may refer to it. */
  private boolean mayBeMissed(String unit) {
    return !unit.startsWith(Units.COPIES) && !register.damaged().isEmpty();
  }

  private boolean giveBackPinned(String unit) {
    long removals;
    try {
      Map<String, Manifest> manifests;
      synchronized (catalog) {
        removals = catalog.removals();
        manifests = catalog.snapshot();
      }
      giveBack(unit, manifests.values());
    } finally {
      catalog.unpin(List.of(unit));
    }
    // Whoever removed an image meanwhile has left this unit to us.
    return catalog.removals() != removals && collect(unit);
  }

  /** Drops a copy that can be assembled again, unless it is in use. */
  boolean drop(String unit) {
    Path removed;
    synchronized (catalog) {
      if (!catalog.giveUp(unit)) {
        return false;
      }
      removed = moveAway(unit);
    }
    if (removed != null) {
      disk.deleteTree(removed);
    }
    return true;
  }

  private @Nullable Path moveAway(String unit) {
    Path path = layout.unit(unit);
    if (!Files.exists(path)) {
      return null;
    }
    Path away = layout.away();
    disk.rename(path, away);
    return away;
  }

  /**
   * Manifests that appear after the snapshot refer only to bytes that one of the snapshot refers
   * to: an image being compacted has pinned what it reads, and then this is not reached.
   */
  private void giveBack(String unit, Collection<Manifest> manifests) {
    Coverage coverage = new Coverage();
    manifests.forEach(coverage::add);
    Path path = layout.unit(unit);
    List<Path> files = Files.isDirectory(path) ? Disk.list(path) : List.of(path);
    for (Path file : files) {
      String source = layout.folder().relativize(file).toString();
      List<Coverage.Range> gaps = coverage.gaps(source, 0, sizeOf(file));
      if (!gaps.isEmpty()) {
        disk.before("punch", file);
        if (!FileHoles.punch(file, gaps)) {
          postpone(unit);
        }
      }
    }
  }

  private void postpone(String unit) {
    if (postponed.add(unit)) {
      Thread.ofVirtual()
          .name("reclaim-" + unit)
          .start(
              () -> {
                LockSupport.parkNanos(POSTPONEMENT.toNanos());
                postponed.remove(unit);
                collect(unit);
              });
    }
  }

  private static long sizeOf(Path file) {
    return Disk.unchecked(() -> Files.size(file));
  }
}
