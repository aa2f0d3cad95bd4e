package dev.atoll.engine;

import dev.atoll.engine.image.TreeArchive;
import dev.atoll.engine.store.Store;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Brings a backup back, into a data directory in which nothing was kept yet. */
public final class Restoration {
  private static final String DATABASE = "atoll.db";
  private static final long SYNC_DEADLINE_SECONDS = 600;

  private final Path data;
  private final Path aside;

  /**
   * @param data no server may use it meanwhile
   */
  public Restoration(Path data) {
    this.data = data.toAbsolutePath().normalize();
    this.aside = this.data.resolve(".restoring-" + Tokens.hex(8));
  }

  /**
   * Reads a whole backup and then takes it in; if anything is wrong with it, nothing is.
   *
   * @throws AtollException {@link ErrorCode#CONFLICT} if the directory is in use, {@link
   *     ErrorCode#INVALID_ARGUMENT} if this is no intact backup
   */
  public void from(InputStream backup) throws IOException {
    requireRoomFor(List.of(DATABASE, "data-directory.id", "snapshots", "sandboxes", "templates"));
    try {
      unpack(backup);
      Store.check(aside.resolve(DATABASE));
      List<String> names = names();
      requireRoomFor(names);
      sync();
      // The database last: without it a server refuses to start on what is there.
      names.remove(DATABASE);
      names.add(DATABASE);
      for (String name : names) {
        Files.deleteIfExists(data.resolve(name));
        Files.move(aside.resolve(name), data.resolve(name));
      }
      sync();
    } finally {
      Trees.delete(aside);
    }
  }

  private void unpack(InputStream backup) throws IOException {
    try {
      TreeArchive.read(backup, aside);
    } catch (AtollException e) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          "the backup is torn, tampered with or none: " + e.getMessage(),
          "take another one; nothing of this one was kept",
          Map.of(),
          e);
    }
    if (!Files.isRegularFile(aside.resolve(DATABASE), LinkOption.NOFOLLOW_LINKS)) {
      throw new AtollException(ErrorCode.INVALID_ARGUMENT, "the backup has no database");
    }
  }

  private List<String> names() throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(aside)) {
      entries.forEach(entry -> names.add(entry.getFileName().toString()));
    }
    return names;
  }

  private void requireRoomFor(List<String> names) throws IOException {
    for (String name : names) {
      if (holdsSomething(data.resolve(name))) {
        throw new AtollException(
            ErrorCode.CONFLICT,
            "%s is in use: there is %s in it".formatted(data, name),
            "restore into a data directory of its own (ATOLL_HOME), or move this one away");
      }
    }
  }

  private static boolean holdsSomething(Path path) throws IOException {
    if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      return Files.exists(path, LinkOption.NOFOLLOW_LINKS) && Files.size(path) > 0;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      return entries.iterator().hasNext();
    }
  }

  private void sync() throws IOException {
    // Safe: a fixed program and one absolute path, no shell. One flush of the file system is far
    // faster than one for each of many thousand files.
    Process sync =
        new ProcessBuilder("sync", "-f", data.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (!sync.waitFor(SYNC_DEADLINE_SECONDS, TimeUnit.SECONDS) || sync.exitValue() != 0) {
        throw new IOException("the backup could not be flushed to disk");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the backup was flushed to disk", e);
    } finally {
      sync.destroyForcibly();
    }
  }
}
