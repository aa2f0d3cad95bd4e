package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.engine.store.Store;
import dev.atoll.model.Json;
import dev.atoll.server.config.ConfigException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

final class DataDirectoryTest {
  @TempDir Path temporary;

  @Test
  void secondServerIsRefusedAndToldOfTheFirst() {
    Path data = temporary.resolve("data");
    try (DataDirectoryLock first = DataDirectoryLock.acquire(data)) {
      assertThat(first).isNotNull();
      assertThatThrownBy(() -> DataDirectoryLock.acquire(data))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("pid " + ProcessHandle.current().pid())
          .hasMessageContaining(data.toString());
    }
    DataDirectoryLock.acquire(data).close();
  }

  @Test
  void serverFileIsPrivateAndComplete() throws Exception {
    Path data = temporary.resolve("data");
    new ServerFile(
            URI.create("http://127.0.0.1:7070"),
            42,
            "1.2",
            Instant.EPOCH,
            data.resolve("admin.key"))
        .write(data);
    Path file = ServerFile.path(data);
    JsonNode json = Json.lenient().readTree(Files.readString(file));
    assertThat(json.propertyNames())
        .containsExactly("url", "pid", "version", "startedAt", "adminKeyFile");
    assertThat(json.get("url").asString()).isEqualTo("http://127.0.0.1:7070");
    assertThat(json.get("adminKeyFile").asString()).isEqualTo(data.resolve("admin.key").toString());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
        .isEqualTo("rwx------");
    ServerFile.remove(data);
    assertThat(file).doesNotExist();
    ServerFile.remove(data);
  }

  @Test
  void othersAreShutOutOfTheDataDirectory() throws Exception {
    Path data = Files.createDirectory(temporary.resolve("open"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    PrivateFiles.claimDirectory(data);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
        .isEqualTo("rwx------");
    Path shared = Files.createDirectory(temporary.resolve("shared"));
    Files.setAttribute(shared, "unix:mode", 01777);
    PrivateFiles.claimDirectory(shared);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(shared)))
        .isEqualTo("rwxrwxrwx");
  }

  @Test
  void whatIsInTheDataDirectoryIsShutTooAlsoWhatAnOlderServerLeftOpen() throws Exception {
    Path data = Files.createDirectory(temporary.resolve("old"));
    for (String name : List.of("atoll.db", "atoll.db-wal", "atoll.yaml", "launcher.lock")) {
      mode(Files.createFile(data.resolve(name)), "rw-r--r--");
    }
    for (String name : List.of("logs", "cache", "templates", "tools")) {
      mode(Files.createDirectory(data.resolve(name)), "rwxr-xr-x");
    }
    PrivateFiles.claimDirectory(data);
    for (String name : List.of("atoll.db", "atoll.db-wal", "atoll.yaml", "launcher.lock")) {
      assertThat(mode(data.resolve(name))).as(name).isEqualTo("rw-------");
    }
    for (String name : List.of("logs", "cache", "builds", "run", "services", "snapshots")) {
      assertThat(mode(data.resolve(name))).as(name).isEqualTo("rwx------");
    }
    // Machines that are not root pass through these.
    assertThat(mode(data.resolve("templates"))).isEqualTo("rwxr-xr-x");
    assertThat(mode(data.resolve("tools"))).isEqualTo("rwxr-xr-x");
  }

  @Test
  void aNewDatabaseIsPrivateWithAllThatIsBesideIt() throws Exception {
    Path data = temporary.resolve("new");
    PrivateFiles.claimDirectory(data);
    try (Store store = Store.open(data.resolve("atoll.db"))) {
      int _ = store.update("UPDATE api_keys SET name=name");
      try (Stream<Path> files = Files.list(data)) {
        List<Path> beside =
            files.filter(file -> file.getFileName().toString().startsWith("atoll.db")).toList();
        assertThat(beside).isNotEmpty();
        for (Path file : beside) {
          assertThat(mode(file)).as(file.toString()).isEqualTo("rw-------");
        }
      }
    }
  }

  private static void mode(Path file, String mode) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void librariesThatAKilledServerLeftAreRemoved() throws Exception {
    Path data = temporary.resolve("data");
    Path folder = data.resolve("native");
    String before = System.getProperty("org.sqlite.tmpdir", System.getProperty("java.io.tmpdir"));
    try {
      SqliteLibrary.prepare(data);
      Path left = Files.createFile(folder.resolve("sqlite-1-libsqlitejdbc.so"));
      SqliteLibrary.prepare(data);
      assertThat(left).doesNotExist();
      assertThat(System.getProperty("org.sqlite.tmpdir")).isEqualTo(folder.toString());
    } finally {
      System.setProperty("org.sqlite.tmpdir", before);
    }
  }

  @Test
  void guestProgramsAreInstalledOnce() throws Exception {
    GuestPrograms first = GuestPrograms.install(temporary.resolve("data"));
    assertThat(first.keeper()).isExecutable();
    assertThat(first.agent()).isExecutable();
    Object inode = Files.getAttribute(first.keeper(), "unix:ino");
    assertThat(GuestPrograms.install(temporary.resolve("data"))).isEqualTo(first);
    assertThat(Files.getAttribute(first.keeper(), "unix:ino")).isEqualTo(inode);
  }

  @Test
  void versionIsKnown() {
    assertThat(Version.current()).matches("[0-9]+\\.[0-9]+.*");
  }
}
