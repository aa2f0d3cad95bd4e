package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotRequest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server keeps, as one file, and somewhere else again. */
class BackupTest {
  @TempDir Path folder;
  private EngineHarness harness;
  private String asleep;
  private String running;
  private String snapshot;

  @BeforeEach
  void start() throws IOException {
    harness = new EngineHarness(folder.resolve("one"));
    running = harness.create();
    asleep = harness.create();
    harness.run(asleep, "x = 41");
    SnapshotInfo kept =
        harness.engine().snapshots().create(PROJECT, asleep, SnapshotRequest.unnamed());
    snapshot = kept.id();
    harness.run(asleep, "x = 51");
    SandboxInfo _ = harness.sandboxes().hibernate(PROJECT, asleep);
  }

  @AfterEach
  void stop() {
    harness.close();
  }

  private byte[] backup() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    harness.engine().backups().write(out);
    return out.toByteArray();
  }

  private Path elsewhere() throws IOException {
    return Files.createDirectories(folder.resolve("other/data"));
  }

  private void assertRestores(byte[] backup) throws IOException {
    new Restoration(elsewhere()).from(new ByteArrayInputStream(backup));
    try (EngineHarness other = new EngineHarness(folder.resolve("other"))) {
      assertThat(other.run(asleep, "x + 1").text()).hasValue("52");
      String made =
          other
              .sandboxes()
              .create(PROJECT, EngineHarness.spec(null, null, snapshot, null, null, null), null)
              .id();
      assertThat(other.run(made, "x + 1").text()).hasValue("42");
      SandboxInfo lost = other.sandboxes().get(PROJECT, running);
      assertThat(lost.state()).isEqualTo(SandboxState.FAILED);
      assertThat(lost.reason()).isEqualTo("lost");
    }
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).toList();
    }
  }

  @Test
  void sleepersAndSnapshotsComeBackElsewhere() throws IOException {
    byte[] backup = backup();
    // It goes on, and nothing of the copy is left.
    assertThat(harness.run(asleep, "x + 1").text()).hasValue("52");
    assertThat(names(folder.resolve("one/data"))).noneMatch(name -> name.startsWith(".backup"));
    assertRestores(backup);
  }

  @Test
  void whatIsDeletedOrWokenWhileItIsWrittenIsInItAllTheSame() throws IOException {
    ByteArrayOutputStream out =
        new ByteArrayOutputStream() {
          private boolean done;

          @Override
          public synchronized void write(byte[] bytes, int offset, int length) {
            if (!done) {
              done = true;
              assertThat(harness.run(asleep, "x = 99").error()).isNull();
              harness.engine().snapshots().delete(PROJECT, snapshot);
            }
            super.write(bytes, offset, length);
          }
        };
    harness.engine().backups().write(out);
    assertThat(harness.images()).isEmpty();
    assertThat(harness.folders("snapshots/whole")).isEmpty();
    assertRestores(out.toByteArray());
  }

  @Test
  void aBackupThatIsTornOrTamperedWithIsRefusedAndNothingOfItKept() throws IOException {
    byte[] backup = backup();
    for (int at = 0; at < backup.length; at += Math.max(1, backup.length / 40)) {
      byte[] changed = backup.clone();
      changed[at] ^= 0x10;
      assertRefusedOrTheSame(changed);
      assertRefused(Arrays.copyOf(backup, at));
    }
    assertRefused(Arrays.copyOf(backup, backup.length + 1));
    assertRestores(backup);
  }

  /** The form has a few bits that mean nothing; what they stand in is restored as it was. */
  private void assertRefusedOrTheSame(byte[] backup) throws IOException {
    Path data = elsewhere();
    try {
      new Restoration(data).from(new ByteArrayInputStream(backup));
    } catch (AtollException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
      assertThat(names(data)).isEmpty();
      return;
    }
    try (EngineHarness same = new EngineHarness(folder.resolve("other"))) {
      assertThat(same.run(asleep, "x + 1").text()).hasValue("52");
    }
    Trees.delete(folder.resolve("other"));
  }

  private void assertRefused(byte[] backup) throws IOException {
    Path data = elsewhere();
    assertThatThrownBy(() -> new Restoration(data).from(new ByteArrayInputStream(backup)))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    assertThat(names(data)).isEmpty();
  }

  @Test
  void aDirectoryThatIsInUseIsNotRestoredInto() throws IOException {
    byte[] backup = backup();
    try (EngineHarness other = new EngineHarness(folder.resolve("other"))) {
      String kept = other.create();
      assertThatThrownBy(() -> new Restoration(elsewhere()).from(new ByteArrayInputStream(backup)))
          .isInstanceOfSatisfying(
              AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
      assertThat(other.run(kept, "1").error()).isNull();
    }
  }
}
