package dev.atoll.engine.store;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The folder around a database, and the id that both have: what is in the one is only safe with the
 * other, since a server removes whatever its database does not know.
 */
record DataDirectory(Path folder) {
  static final String ID_FILE = "data-directory.id";

  /** What only a database can explain. */
  private static final List<String> STATE = List.of("snapshots/manifests", "sandboxes");

  /** The id in the directory; null where there was no server yet, or one from before ids. */
  @Nullable String id() {
    try {
      Path file = folder.resolve(ID_FILE);
      return Files.exists(file) ? Files.readString(file).strip() : null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A directory that had a database, or has what belongs to one, is no place for a new one. */
  void requireNew() {
    String id = id();
    List<String> found = STATE.stream().filter(this::hasEntries).toList();
    if (id != null || !found.isEmpty()) {
      throw refused(
          "the data directory %s has %s but no database"
              .formatted(folder, found.isEmpty() ? "an id" : String.join(" and ", found)));
    }
  }

  /** A database of another directory knows nothing of what is in this one. */
  void requireOwn(@Nullable String ofDatabase) {
    String id = id();
    if (id != null && !id.equals(ofDatabase)) {
      throw refused(
          "the database in %s is that of another data directory: its id is %s, that of the directory %s"
              .formatted(folder, ofDatabase == null ? "missing" : ofDatabase, id));
    }
  }

  AtollException refused(String why) {
    return new AtollException(
        ErrorCode.CONFLICT,
        why,
        "put its own atoll.db back (with atoll.db-wal, if there is one), or restore a backup with"
            + " `atoll restore`; to begin anew, move "
            + folder
            + " away. Nothing in it was changed");
  }

  private boolean hasEntries(String name) {
    Path path = folder.resolve(name);
    if (!Files.isDirectory(path)) {
      return false;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      return entries.iterator().hasNext();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes the id of the database, unless it is there. */
  void claim(String id) {
    if (id.equals(id())) {
      return;
    }
    Path aside = folder.resolve("." + ID_FILE);
    try {
      Files.deleteIfExists(aside);
      try (FileChannel channel =
          FileChannel.open(
              aside,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
        channel.write(ByteBuffer.wrap((id + "\n").getBytes(StandardCharsets.US_ASCII)));
        channel.force(true);
      }
      Files.move(aside, folder.resolve(ID_FILE), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
