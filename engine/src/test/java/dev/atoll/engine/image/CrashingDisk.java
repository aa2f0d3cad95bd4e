package dev.atoll.engine.image;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * A disk whose host loses power before a given step: from then on nothing more is done, and files
 * that were written and not synced have lost their second half.
 */
final class CrashingDisk extends Disk {
  private final Set<Path> unsynced = new HashSet<>();
  private int left;
  private boolean crashed;

  CrashingDisk(int stepsBefore) {
    this.left = stepsBefore;
  }

  /** What is thrown at the crash; an error, so that no code handles it. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1;

    Crash(String message) {
      super(message);
    }
  }

  boolean crashed() {
    return crashed;
  }

  @Override
  void before(String step, Path path) {
    if (crashed || left-- == 0) {
      if (!crashed) {
        crashed = true;
        unsynced.forEach(CrashingDisk::halve);
      }
      throw new Crash(step + " " + path);
    }
    switch (step) {
      case "create", "write", "copy" -> unsynced.add(path);
      case "sync" -> unsynced.remove(path);
      case "rename" -> {
        if (unsynced.remove(Layout.unfinished(path))) {
          unsynced.add(path);
        }
      }
      default -> {}
    }
  }

  /** Copies are never synced and never trusted after a boot; here the boot is the same one. */
  private static void halve(Path file) {
    if (file.toString().contains("/copies/") || !Files.isRegularFile(file)) {
      return;
    }
    Disk.unchecked(
        () -> {
          try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            return channel.truncate(channel.size() / 2);
          }
        });
  }
}
