package dev.atoll.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files that only their owner may read, and that are never seen half written. */
final class PrivateFiles {
  private static final int STICKY = 01000;

  private PrivateFiles() {}

  static void makeDirectory(Path directory) throws IOException {
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  /**
   * Makes the data directory, or shuts out others from one that is there: a database and the files
   * of sandboxes are in it. A directory with the sticky bit is meant for everybody, and left so.
   */
  static void claimDirectory(Path directory) throws IOException {
    makeDirectory(directory);
    int mode = (int) Files.getAttribute(directory, "unix:mode");
    if ((mode & 0077) != 0 && (mode & STICKY) == 0) {
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    }
  }

  /** Writes aside, syncs and renames. The mode is there from the start, not added later. */
  static void write(Path directory, String name, String text) throws IOException {
    makeDirectory(directory);
    Path aside = directory.resolve("." + name + "." + ProcessHandle.current().pid());
    Files.deleteIfExists(aside);
    try (FileChannel channel =
        FileChannel.open(
            aside,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(
        aside,
        directory.resolve(name),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }
}
