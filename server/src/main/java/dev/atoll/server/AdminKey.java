package dev.atoll.server;

import dev.atoll.engine.ApiKeys;
import dev.atoll.engine.KeyOwner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * The key of the project {@code default} that the local command line uses. Only who may read the
 * data directory can read it, and that makes its holder the server's administrator.
 */
final class AdminKey {
  private static final String PROJECT = "default";

  private AdminKey() {}

  /** Makes the key if there is none that works, and gives the file that holds it. */
  static Path ensure(Path dataDirectory, ApiKeys keys) {
    Path file = dataDirectory.resolve("admin.key");
    try {
      if (!Files.exists(file) || keys.ownerOf(Files.readString(file).strip()) == null) {
        String secret = keys.create(PROJECT, "admin").secret();
        PrivateFiles.write(dataDirectory, "admin.key", Objects.requireNonNull(secret) + "\n");
      }
      String secret = Files.readString(file).strip();
      KeyOwner owner = keys.ownerOf(secret);
      if (owner == null || !owner.administrator()) {
        keys.appoint(secret);
      }
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep the admin key in " + file, e);
    }
  }
}
