package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotRequest;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data directory whose database is gone, damaged, of another directory or of another version. */
class DatabaseLossTest {
  @TempDir Path folder;
  private EngineHarness harness;
  private Path data;
  private Path database;
  private String asleep;
  private String snapshot;

  @BeforeEach
  void start() throws IOException {
    harness = new EngineHarness(folder.resolve("one"));
    data = folder.resolve("one/data");
    database = data.resolve("atoll.db");
    asleep = harness.create();
    harness.run(asleep, "x = 41");
    SnapshotInfo kept =
        harness.engine().snapshots().create(PROJECT, asleep, SnapshotRequest.unnamed());
    snapshot = kept.id();
    SandboxInfo _ = harness.sandboxes().hibernate(PROJECT, asleep);
  }

  @AfterEach
  void stop() {
    harness.close();
  }

  private void assertRefused(ErrorCode code, String said) {
    List<String> before = harness.folders("snapshots/manifests");
    assertThat(before).hasSize(2);
    assertThatThrownBy(harness::start)
        .isInstanceOfSatisfying(
            AtollException.class,
            e -> {
              assertThat(e.code()).isEqualTo(code);
              assertThat(e).hasMessageContaining(said);
              assertThat(e.hint()).isNotNull();
            });
    assertThat(harness.folders("snapshots/manifests")).isEqualTo(before);
  }

  private void assertAllThere() {
    harness.start();
    assertThat(harness.run(asleep, "x + 1").text()).hasValue("42");
    assertThat(harness.engine().snapshots().get(PROJECT, snapshot).id()).isEqualTo(snapshot);
  }

  @Test
  void withoutItsDatabaseADirectoryIsNotTouched() throws IOException {
    harness.stop();
    Path away = Files.move(database, folder.resolve("away.db"));
    assertRefused(ErrorCode.CONFLICT, "but no database");
    assertThat(database).doesNotExist();
    // As a server makes it that wants it for itself.
    Files.createFile(database);
    assertRefused(ErrorCode.CONFLICT, "but no database");
    Files.move(away, database, StandardCopyOption.REPLACE_EXISTING);
    assertAllThere();
  }

  @Test
  void aDirectoryOfBeforeIdsIsNotTouchedEither() throws IOException {
    harness.stop();
    Path away = Files.move(database, folder.resolve("away.db"));
    Files.delete(data.resolve("data-directory.id"));
    assertRefused(ErrorCode.CONFLICT, "snapshots/manifests");
    Files.move(away, database);
    assertAllThere();
    assertThat(data.resolve("data-directory.id")).exists();
  }

  @Test
  void theDatabaseOfAnotherDirectoryIsRefused() throws IOException {
    harness.stop();
    Path away = Files.move(database, folder.resolve("away.db"));
    new EngineHarness(folder.resolve("other")).close();
    Files.copy(folder.resolve("other/data/atoll.db"), database);
    assertRefused(ErrorCode.CONFLICT, "another data directory");
    Files.move(away, database, StandardCopyOption.REPLACE_EXISTING);
    assertAllThere();
  }

  @Test
  void aDatabaseOfALaterVersionIsRefused() throws Exception {
    harness.stop();
    Path away = Files.copy(database, folder.resolve("away.db"));
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
        Statement statement = connection.createStatement()) {
      statement.executeUpdate(
          "INSERT INTO flyway_schema_history SELECT 1000, '1000', 'later', 'SQL', 'V1000__later.sql',"
              + " 1, 'x', installed_on, 1, 1 FROM flyway_schema_history LIMIT 1");
    }
    assertRefused(ErrorCode.CONFLICT, "another version");
    Files.move(away, database, StandardCopyOption.REPLACE_EXISTING);
    assertAllThere();
  }

  @Test
  void aDamagedDatabaseIsRefusedAndKept() throws IOException {
    harness.stop();
    Path away = Files.copy(database, folder.resolve("away.db"));
    try (RandomAccessFile file = new RandomAccessFile(database.toFile(), "rw")) {
      file.seek(4096);
      file.write(new byte[(int) Math.min(file.length() - 4096, 16 << 10)]);
    }
    byte[] damaged = Files.readAllBytes(database);
    assertRefused(ErrorCode.STORAGE_DAMAGED, "damaged");
    assertThat(Files.readAllBytes(database)).isEqualTo(damaged);
    Files.writeString(
        database, "no database at all, but long enough to be taken for one".repeat(99));
    assertRefused(ErrorCode.STORAGE_DAMAGED, "damaged");
    Files.move(away, database, StandardCopyOption.REPLACE_EXISTING);
    assertAllThere();
  }

  @Test
  void anEarlierCopyOfTheDatabaseCostsNothingThatCameAfterIt() throws IOException {
    harness.stop();
    Path earlier = Files.copy(database, folder.resolve("earlier.db"));
    harness.start();
    String running = harness.create();
    harness.run(running, "y = 6");
    SnapshotInfo later =
        harness.engine().snapshots().create(PROJECT, running, SnapshotRequest.unnamed());
    harness.stop();
    Path newest = Files.copy(database, folder.resolve("newest.db"));
    Files.copy(earlier, database, StandardCopyOption.REPLACE_EXISTING);
    harness.start();
    assertThat(harness.images()).contains(snapshot, later.id());
    assertThat(harness.driver().machines()).hasSize(1);
    harness.stop();
    Files.copy(newest, database, StandardCopyOption.REPLACE_EXISTING);
    assertAllThere();
    assertThat(harness.run(running, "y + 36").text()).hasValue("42");
    assertThat(harness.engine().snapshots().get(PROJECT, later.id()).id()).isEqualTo(later.id());
  }

  @Test
  void whatACrashLeftOfThisDatabaseIsStillSwept() {
    // The row went, the image did not.
    harness.steps =
        step -> {
          if (step.equals("go on")) {
            throw new IllegalStateException("killed");
          }
        };
    assertThatThrownBy(() -> harness.engine().snapshots().delete(PROJECT, snapshot))
        .hasMessage("killed");
    harness.steps = step -> {};
    assertThat(harness.images()).contains(snapshot);
    harness.restart();
    assertThat(harness.images()).doesNotContain(snapshot).hasSize(1);
  }

  @Test
  void aDirectoryInWhichNothingWasKeptGetsADatabase() throws IOException {
    Path fresh = Files.createDirectories(folder.resolve("fresh/data/snapshots"));
    try (EngineHarness other = new EngineHarness(folder.resolve("fresh"))) {
      assertThat(other.images()).isEmpty();
      assertThat(fresh).exists();
    }
  }
}
