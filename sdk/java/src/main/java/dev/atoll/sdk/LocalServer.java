package dev.atoll.sdk;

import dev.atoll.model.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * The server that runs on this machine, as it describes itself in {@code run/server.json}.
 *
 * @param adminKeyFile the file that holds its key, readable for its owner alone
 */
record LocalServer(String url, long pid, String version, @Nullable String adminKeyFile) {
  private static final String FILE = "run/server.json";

  /** The first server that is described in one of Atoll's homes. */
  static Optional<LocalServer> find(Map<String, String> environment) {
    for (Path home : homes(environment)) {
      Path file = home.resolve(FILE);
      if (Files.isReadable(file)) {
        return Optional.of(read(file));
      }
    }
    return Optional.empty();
  }

  static List<Path> homes(Map<String, String> environment) {
    String home = environment.get("ATOLL_HOME");
    if (home != null && !home.isBlank()) {
      return List.of(Path.of(home));
    }
    Path user = Path.of(System.getProperty("user.home"), ".local", "share", "atoll");
    return List.of(Path.of("/var/lib/atoll"), user);
  }

  /** The content of the key file. */
  String key() {
    if (adminKeyFile == null) {
      throw new ConnectionException(
          "the local server names no key file", "set ATOLL_API_KEY to one of its keys", null);
    }
    try {
      return Files.readString(Path.of(adminKeyFile)).strip();
    } catch (IOException e) {
      throw new ConnectionException(
          "cannot read the key of the local server in " + adminKeyFile,
          "run as the user that started it, or set ATOLL_API_KEY",
          e);
    }
  }

  private static LocalServer read(Path file) {
    try {
      return Json.lenient().readValue(Files.readAllBytes(file), LocalServer.class);
    } catch (IOException | JacksonException e) {
      throw new ConnectionException(
          "cannot read " + file, "start the server again with ./atoll up", e);
    }
  }
}
