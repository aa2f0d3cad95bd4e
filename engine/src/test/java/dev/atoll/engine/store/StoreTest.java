package dev.atoll.engine.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What callers meet when the database cannot take what they write. */
class StoreTest {
  private static final String INSERT = "INSERT INTO project_ceilings VALUES (?, ?)";

  @TempDir Path folder;
  private Path file = Path.of("");
  private Path reserve = Path.of("");

  @BeforeEach
  void paths() {
    file = folder.resolve("atoll.db");
    reserve = folder.resolve("reserve");
  }

  private static void assertRefused(ErrorCode code, Runnable write) {
    assertThatThrownBy(write::run)
        .isInstanceOfSatisfying(AtollException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private static List<String> projects(Store store) {
    return store.query(
        row -> row.getString(1), "SELECT project FROM project_ceilings ORDER BY project");
  }

  @Test
  void aLockedDatabaseIsReadAndSaysWhenToWriteAgain() throws Exception {
    try (Store store = Store.open(file);
        Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement lock = other.createStatement()) {
      store.update(INSERT, "one", "{}");
      boolean _ = lock.execute("BEGIN EXCLUSIVE");
      assertThatThrownBy(() -> store.update(INSERT, "two", "{}"))
          .isInstanceOfSatisfying(
              AtollException.class,
              e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.STORAGE_BUSY);
                assertThat(e.code().httpStatus()).isEqualTo(503);
                assertThat(e.details()).containsEntry("retryAfterSeconds", 1);
              });
      assertRefused(
          ErrorCode.STORAGE_BUSY, () -> store.transaction(() -> store.update(INSERT, "3", "{}")));
      assertThat(projects(store)).containsExactly("one");
      boolean _ = lock.execute("ROLLBACK");
      store.update(INSERT, "two", "{}");
      store.transaction(() -> store.update(INSERT, "three", "{}"));
      assertThat(projects(store)).containsExactly("one", "three", "two");
    }
  }

  @Test
  void aTransactionSeesWhatItWroteAndOthersDoNot() throws Exception {
    try (Store store = Store.open(file)) {
      store.transaction(
          () -> {
            store.update(INSERT, "one", "{}");
            assertThat(projects(store)).containsExactly("one");
            Thread other = Thread.ofVirtual().start(() -> assertThat(projects(store)).isEmpty());
            try {
              other.join();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          });
      assertThat(projects(store)).containsExactly("one");
    }
  }

  /** A disk that takes nothing until the reserve is given up. */
  private Store onFullDisk(AtomicInteger refused) {
    return Store.open(
        file,
        step -> {
          if (!step.equals("go on") && Files.exists(reserve)) {
            refused.incrementAndGet();
            throw StoreFailure.full(file, null);
          }
        });
  }

  @Test
  void onAFullDiskRemovalsUseTheReserve() throws Exception {
    try (Store store = Store.open(file)) {
      store.update(INSERT, "one", "{}");
      store.update(INSERT, "two", "{}");
    }
    assertThat(Files.size(reserve)).isEqualTo(Reserve.BYTES);
    AtomicInteger refused = new AtomicInteger();
    try (Store store = onFullDisk(refused)) {
      assertRefused(ErrorCode.STORAGE_FULL, () -> store.update(INSERT, "more", "{}"));
      assertRefused(
          ErrorCode.STORAGE_FULL,
          () -> store.transaction(() -> store.update("DELETE FROM project_ceilings")));
      assertThat(reserve).exists();
      assertThat(projects(store)).containsExactly("one", "two");
      store.update("DELETE FROM project_ceilings WHERE project='one'");
      assertThat(reserve).doesNotExist();
      store.freeing(() -> store.update("UPDATE project_ceilings SET ceiling='ended'"));
      assertThat(projects(store)).containsExactly("two");
      assertThat(refused).hasValue(3);
    }
  }

  @Test
  void theReserveIsMadeAgainWhenThereIsRoom() throws Exception {
    Store.open(file).close();
    Files.delete(reserve);
    try (Store store = Store.open(file)) {
      assertThat(Files.size(reserve)).isEqualTo(Reserve.BYTES);
      store.update(INSERT, "one", "{}");
      assertThat(Files.getPosixFilePermissions(reserve)).hasSize(2);
    }
  }

  @Test
  void aTransactionThatFailsLeavesNothingAndTheNextOneWorks() {
    try (Store store = Store.open(file)) {
      store.update(INSERT, "one", "{}");
      assertRefused(
          ErrorCode.CONFLICT,
          () ->
              store.transaction(
                  () -> {
                    store.update(INSERT, "two", "{}");
                    store.update(INSERT, "one", "{}");
                  }));
      store.transaction(() -> store.update(INSERT, "three", "{}"));
      assertThat(projects(store)).containsExactly("one", "three");
    }
  }
}
