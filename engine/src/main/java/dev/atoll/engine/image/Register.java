package dev.atoll.engine.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The manifests on disk, which are the truth, and the catalog of them in memory, changed together.
 *
 * <p>Changes are serialized by a lock of their own, because they wait for the disk and openers of
 * images must not. Lock order: this, then the catalog. The catalog follows only when the disk has
 * the change for good: nobody removes a file that an older manifest would need after a power
 * failure.
 */
final class Register {
  private static final Logger LOG = LoggerFactory.getLogger(Register.class);

  private final Layout layout;
  private final Disk disk;
  private final Catalog catalog;
  private final ReentrantLock changes = new ReentrantLock();
  private final Set<String> damaged = new ConcurrentSkipListSet<>();

  Register(Layout layout, Disk disk, Catalog catalog) {
    this.layout = layout;
    this.disk = disk;
    this.catalog = catalog;
  }

  void load() {
    for (Path file : Disk.list(layout.manifests())) {
      String id = file.getFileName().toString();
      if (!Units.isName(id)) {
        continue;
      }
      try {
        catalog.put(id, ManifestCodec.decode(Files.readAllBytes(file)));
      } catch (IOException | RuntimeException e) {
        LOG.error("image {} cannot be read; nothing it may need will be removed", id, e);
        damaged.add(id);
      }
    }
  }

  /**
   * The images whose manifests are unreadable. While there are any, no unit is garbage: they may
   * refer to it, and whoever repairs them will want it.
   */
  Set<String> damaged() {
    return new TreeSet<>(damaged);
  }

  /** Makes an image exist. Its files are durable and pinned already. */
  void add(String id, Manifest manifest, String readyUnit) {
    Path file = layout.manifest(id);
    Path aside = prepare(file, manifest);
    changes.lock();
    try {
      disk.rename(aside, file);
      disk.sync(layout.manifests());
      synchronized (catalog) {
        catalog.put(id, manifest);
        catalog.setReady(id, readyUnit);
      }
    } catch (RuntimeException e) {
      disk.deleteFile(file);
      throw e;
    } finally {
      changes.unlock();
    }
  }

  /** Replaces a manifest, unless the image was deleted meanwhile. */
  @SuppressWarnings("ReferenceEquality") // an equal one would be another image's
  void replace(String id, Manifest expected, Manifest manifest) {
    Path file = layout.manifest(id);
    Path aside = prepare(file, manifest);
    changes.lock();
    try {
      if (catalog.find(id) != expected) {
        disk.deleteFile(aside);
        return;
      }
      disk.rename(aside, file);
      disk.sync(layout.manifests());
      catalog.put(id, manifest);
    } catch (RuntimeException e) {
      // The disk may have either manifest now: what each needs stays until the next start.
      catalog.pin(expected.units());
      catalog.pin(manifest.units());
      throw e;
    } finally {
      changes.unlock();
    }
  }

  /** Makes an image not exist, and returns the units that may be garbage now. */
  Set<String> remove(String id) {
    changes.lock();
    try {
      if (catalog.find(id) == null && !damaged.contains(id)) {
        return Set.of();
      }
      disk.deleteFile(layout.manifest(id));
      disk.sync(layout.manifests());
      damaged.remove(id);
      return catalog.remove(id);
    } finally {
      changes.unlock();
    }
  }

  private Path prepare(Path file, Manifest manifest) {
    Path aside = Layout.unfinished(file);
    disk.write(aside, ManifestCodec.encode(manifest));
    disk.sync(aside);
    return aside;
  }
}
