package dev.atoll.server;

import dev.atoll.model.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * {@code run/server.json}: how local clients find a running server. There while it can be reached.
 */
record ServerFile(URI url, long pid, String version, Instant startedAt, Path adminKeyFile) {
  private static final String NAME = "server.json";

  void write(Path dataDirectory) {
    try {
      PrivateFiles.write(
          dataDirectory.resolve("run"), NAME, Json.lenient().writeValueAsString(fields()) + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void remove(Path dataDirectory) {
    try {
      Files.deleteIfExists(path(dataDirectory));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path path(Path dataDirectory) {
    return dataDirectory.resolve("run").resolve(NAME);
  }

  /** A path is written as one writes it, not as a URI. */
  private Fields fields() {
    return new Fields(url.toString(), pid, version, startedAt, adminKeyFile.toString());
  }

  private record Fields(
      String url, long pid, String version, Instant startedAt, String adminKeyFile) {}
}
