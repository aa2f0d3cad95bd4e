package dev.atoll.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where SQLite's driver unpacks its native library, which it does anew in each process. A killed
 * process leaves its copy behind, so the copies have a folder of their own instead of the system's
 * one for temporary files, and whoever holds the data directory empties it.
 */
final class SqliteLibrary {
  private static final String PLACE = "org.sqlite.tmpdir";

  private SqliteLibrary() {}

  /** Call before the database is opened, with the data directory locked. */
  static void prepare(Path dataDirectory) {
    Path folder = dataDirectory.resolve("native");
    try {
      PrivateFiles.makeDirectory(folder);
      try (DirectoryStream<Path> copies = Files.newDirectoryStream(folder)) {
        for (Path copy : copies) {
          Files.delete(copy);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot use " + folder, e);
    }
    System.setProperty(PLACE, folder.toString());
  }
}
