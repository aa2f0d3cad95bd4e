package dev.atoll.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Files that only their owner may read, and that are never seen half written. */
final class PrivateFiles {
  private static final int STICKY = 01000;
  private static final int OF_OTHERS = 0077;

  /** What a data directory has that nobody else has a use for, guests' programs included. */
  private static final List<String> OWN_FOLDERS =
      List.of("builds", "cache", "logs", "native", "run", "services", "snapshots");

  /** SQLite gives the files beside a database the mode of the database. */
  private static final List<String> OWN_FILES = List.of("atoll.db", "server.lock");

  private PrivateFiles() {}

  static void makeDirectory(Path directory) throws IOException {
    Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  /**
   * Makes the data directory, or shuts out others from one that is there: a database and the files
   * of sandboxes are in it. A directory with the sticky bit is meant for everybody, and left so.
   *
   * <p>What is in it is shut as well, whatever the process's file mode mask is and whoever may pass
   * through the directory itself: logs, the database, caches. Only templates, machines and programs
   * are left as they are, for machines that are not root have to reach theirs.
   */
  static void claimDirectory(Path directory) throws IOException {
    makeDirectory(directory);
    int mode = (int) Files.getAttribute(directory, "unix:mode");
    if ((mode & OF_OTHERS) != 0 && (mode & STICKY) == 0) {
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    }
    for (String folder : OWN_FOLDERS) {
      makeDirectory(directory.resolve(folder));
    }
    for (String file : OWN_FILES) {
      makeFile(directory.resolve(file));
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        shut(entry);
      }
    }
  }

  /** An empty file is an empty database. */
  private static void makeFile(Path file) throws IOException {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
  }

  private static void shut(Path entry) throws IOException {
    boolean own =
        Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)
            || (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)
                && OWN_FOLDERS.contains(entry.getFileName().toString()));
    if (!own) {
      return;
    }
    Set<PosixFilePermission> owners = new HashSet<>(Files.getPosixFilePermissions(entry));
    if (owners.removeIf(permission -> !permission.name().startsWith("OWNER_"))) {
      Files.setPosixFilePermissions(entry, owners);
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
