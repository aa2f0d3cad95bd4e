package dev.atoll.engine.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that keeps some room of a disk. It is given up when the disk is full, so that the database
 * can take what frees more, and taken again once there is room. Not thread-safe.
 */
final class Reserve {
  private static final Logger LOG = LoggerFactory.getLogger(Reserve.class);

  /** Twice what SQLite writes ahead before it begins again at the front of the same file. */
  static final int BYTES = 8 << 20;

  /** A server that starts writes some small files. */
  private static final long NEARLY_NONE = 1 << 20;

  private final Path file;
  private boolean held;

  Reserve(Path file) {
    this.file = file;
    held = isThere() || take();
    if (held && hasLessThan(NEARLY_NONE)) {
      boolean _ = release();
    }
  }

  private boolean hasLessThan(long bytes) {
    try {
      return Files.getFileStore(file.toAbsolutePath().getParent()).getUsableSpace() < bytes;
    } catch (IOException e) {
      return true;
    }
  }

  private boolean isThere() {
    try {
      return Files.isRegularFile(file) && Files.size(file) == BYTES;
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether there is a reserve, now or again. */
  boolean held() {
    if (!held) {
      held = take();
    }
    return held;
  }

  /** Gives it up; says whether there was one. */
  boolean release() {
    if (!held) {
      return false;
    }
    held = false;
    LOG.warn("the disk is full: what is left of it is kept for removals");
    return removed();
  }

  private boolean removed() {
    try {
      return Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.error("the reserve {} cannot be given up", file, e);
      return false;
    }
  }

  /** Only where as much again is left: else the next write would find the disk full. */
  private boolean take() {
    try {
      if (hasLessThan(2L * BYTES)) {
        return false;
      }
      Files.deleteIfExists(file);
      write();
      return true;
    } catch (IOException e) {
      LOG.debug("no reserve can be made at {}", file, e);
      boolean _ = removed();
      return false;
    }
  }

  /** Bytes that no file system can leave out or press together. */
  private void write() throws IOException {
    byte[] block = new byte[1 << 20];
    Random random = new Random();
    try (FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      for (int written = 0; written < BYTES; written += block.length) {
        random.nextBytes(block);
        ByteBuffer bytes = ByteBuffer.wrap(block);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
    }
  }
}
