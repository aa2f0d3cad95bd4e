package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static dev.atoll.engine.EngineHarness.assertCode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.RewindRequest;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sandbox whose machine is gone lives again in a state that was kept of it. */
class LostSandboxTest {
  private static final RewindRequest NEWEST = new RewindRequest(null, 0);
  @TempDir Path folder;
  private EngineHarness harness;
  private String id;

  @BeforeEach
  void open() throws IOException {
    harness = new EngineHarness(folder);
    id = harness.create();
  }

  @AfterEach
  void close() {
    harness.close();
  }

  private SnapshotInfo snapshot() {
    return harness
        .engine()
        .snapshots()
        .create(PROJECT, id, new SnapshotRequest(null, Map.of(), SnapshotKind.MEMORY));
  }

  private SandboxInfo info() {
    return harness.sandboxes().get(PROJECT, id);
  }

  private void lose() {
    harness.driver().crash(harness.machine());
    await().untilAsserted(() -> assertThat(info().state()).isEqualTo(SandboxState.FAILED));
  }

  @Test
  void itsNewestSnapshotBringsItBackUnderItsId() {
    harness.run(id, "x = 1");
    snapshot();
    harness.run(id, "x = 41");
    SnapshotInfo newest = snapshot();
    harness.run(id, "x = 0");
    lose();
    SandboxInfo back = harness.sandboxes().rewind(PROJECT, id, NEWEST);
    assertThat(back.id()).isEqualTo(id);
    assertThat(back.state()).isEqualTo(SandboxState.RUNNING);
    assertThat(back.reason()).isNull();
    assertThat(back.endedAt()).isNull();
    assertThat(back.snapshot()).isEqualTo(newest.id());
    assertThat(harness.run(id, "print(x + 1)").stdout()).isEqualTo("42\n");
  }

  @Test
  void itLivesOnAfterARestartOfTheServer() {
    harness.run(id, "x = 41");
    snapshot();
    harness.stop();
    harness.driver().crash(harness.machine());
    harness.start();
    assertThat(info().reason()).isEqualTo("lost");
    harness.sandboxes().rewind(PROJECT, id, NEWEST);
    harness.stop();
    harness.start();
    assertThat(harness.run(id, "print(x + 1)").stdout()).isEqualTo("42\n");
    assertThat(harness.folders("sandboxes")).hasSize(1);
  }

  @Test
  void otherCallsSayHowToGetItBack() {
    lose();
    assertThatThrownBy(() -> harness.run(id, "1"))
        .isInstanceOfSatisfying(
            AtollException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.GONE);
              assertThat(e.hint()).contains("atoll rewind " + id);
              assertThat(e.details()).containsEntry("state", "failed");
            });
  }

  @Test
  void oneOfWhichNothingIsKeptStaysFailedAndSaysSo() {
    lose();
    assertCode(ErrorCode.SNAPSHOT_NOT_FOUND, () -> harness.sandboxes().rewind(PROJECT, id, NEWEST));
    assertThat(info().state()).isEqualTo(SandboxState.FAILED);
    assertThat(harness.driver().machines()).isEmpty();
  }

  @Test
  void oneThatCannotBeStartedStaysFailedAndCanBeTriedAgain() {
    harness.run(id, "x = 41");
    snapshot();
    lose();
    harness.driver().failNext(new AtollException(ErrorCode.SANDBOX_FAILED, "no"), 2);
    assertCode(ErrorCode.SANDBOX_FAILED, () -> harness.sandboxes().rewind(PROJECT, id, NEWEST));
    assertThat(info().state()).isEqualTo(SandboxState.FAILED);
    assertThat(harness.folders("sandboxes")).isEmpty();
  }

  @Test
  void oneThatWasEndedOnPurposeStaysEnded() {
    snapshot();
    harness.sandboxes().terminate(PROJECT, id);
    assertCode(ErrorCode.GONE, () -> harness.sandboxes().rewind(PROJECT, id, NEWEST));
  }
}
