package dev.atoll.engine.image;

import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Puts the files of a compacted image together again. Nothing is synced: a power failure costs a
 * copy, not an image.
 */
final class Assembler {
  private final Layout layout;
  private final Disk disk;

  Assembler(Layout layout, Disk disk) {
    this.layout = layout;
    this.disk = disk;
  }

  /** Fills a new directory. The units of the manifest are pinned by the caller. */
  void assemble(Manifest manifest, Path directory) {
    disk.deleteTree(directory);
    disk.makeFolder(directory);
    try (Sources sources = new Sources(layout)) {
      for (StoredFile file : manifest.files()) {
        write(file, directory.resolve(file.name()), sources);
      }
    }
  }

  private void write(StoredFile file, Path target, Sources sources) {
    Disk.unchecked(
        () -> {
          try (RandomAccessFile random = new RandomAccessFile(target.toFile(), "rw");
              FileChannel out = random.getChannel()) {
            random.setLength(file.size());
            long position = 0;
            for (Extent extent : file.extents()) {
              if (!extent.isZeros()) {
                out.position(position);
                FileChannel from = sources.channel(extent.source());
                disk.copy(from, extent.offset(), extent.length(), out, target);
              }
              position += extent.length();
            }
          }
          return target;
        });
  }
}
