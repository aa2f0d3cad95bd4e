package dev.atoll.engine.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Where things are below the store's folder. */
final class Layout {
  static final String NEW = ".new-";
  static final String OLD = ".old-";

  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private final Path folder;
  private final String boot = boot();
  private final AtomicLong removed = new AtomicLong(System.nanoTime());

  Layout(Path folder) {
    this.folder = folder;
  }

  Path folder() {
    return folder;
  }

  Path manifests() {
    return folder.resolve("manifests");
  }

  Path manifest(String id) {
    return manifests().resolve(id);
  }

  Path whole() {
    return folder.resolve(Units.WHOLE);
  }

  Path layers() {
    return folder.resolve(Units.LAYERS);
  }

  /** Where copies of all boots are. */
  Path copies() {
    return folder.resolve(Units.COPIES);
  }

  /** Where copies made since this boot are. */
  Path copiesOfThisBoot() {
    return copies().resolve(boot);
  }

  /** The unit of an image's assembled copy. */
  String copy(String id) {
    return Units.COPIES + "/" + boot + "/" + id;
  }

  Path unit(String unit) {
    return folder.resolve(unit);
  }

  Path aside(String id) {
    return folder.resolve(NEW + id);
  }

  /** Where to move what is to be removed: nobody takes half of it for the whole there. */
  Path away() {
    return folder.resolve(OLD + Long.toString(removed.incrementAndGet(), 36));
  }

  /** Where to write what shall appear under its name when it is complete. */
  static Path unfinished(Path path) {
    return path.resolveSibling(NEW + path.getFileName());
  }

  /**
   * Tells one boot of the host from the next. The page cache survives the death of a server but not
   * that of its host, so what was written without a sync is good until the next boot.
   */
  private static String boot() {
    try {
      return Files.readString(BOOT_ID).strip();
    } catch (IOException e) {
      return UUID.randomUUID().toString();
    }
  }
}
