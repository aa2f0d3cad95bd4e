package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SandboxUpdate;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is killed, or a disk that is full, before each step that the store takes. */
class StoreFaultTest {
  /** More steps than any operation here has. */
  private static final int MANY = 40;

  @TempDir Path folder;
  private EngineHarness harness;

  @BeforeEach
  void start() throws IOException {
    harness = new EngineHarness(folder);
  }

  @AfterEach
  void stop() {
    harness.close();
  }

  /** The process is no more: nothing that it would have written is. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  /** Comes before the step of that number; a kill comes before all that follow too. */
  private static final class Fault {
    private final AtomicInteger left;
    private final boolean kill;

    Fault(int step, boolean kill) {
      this.left = new AtomicInteger(step);
      this.kill = kill;
    }

    /** What is committed is all that there is of "go on": the next start finds it so. */
    void before(String step) {
      int now = left.getAndDecrement();
      if (step.equals("go on")) {
        return;
      }
      if (kill && now <= 0) {
        throw new Killed();
      }
      if (!kill && now == 0) {
        throw new AtollException(ErrorCode.STORAGE_FULL, "full before " + step);
      }
    }

    boolean came() {
      return left.get() < 0;
    }
  }

  private static SandboxSpec spec(@Nullable String name) {
    return EngineHarness.spec(name, null, null, null, null, null);
  }

  private void quiet() {
    harness.steps = step -> {};
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "named"})
  void aCreateThatIsRepeatedWithItsKeyAfterAKillGivesOneSandbox(String name) {
    SandboxSpec spec = spec(name.isEmpty() ? null : name);
    harness.create();
    boolean came = true;
    int step = 0;
    for (; came && step < MANY; step++) {
      String key = "key" + step;
      Fault fault = new Fault(step, true);
      harness.steps = fault::before;
      SandboxInfo first = null;
      try {
        first = harness.sandboxes().create(PROJECT, spec, key);
      } catch (Killed e) {
        // So went the process that served the request.
      }
      came = fault.came();
      quiet();
      harness.restart();
      SandboxInfo again = harness.sandboxes().create(PROJECT, spec, key);
      assertThat(again.state()).as("killed before step %d", step).isEqualTo(SandboxState.RUNNING);
      assertThat(harness.sandboxes().create(PROJECT, spec, key).id()).isEqualTo(again.id());
      if (first != null) {
        assertThat(again.id()).isEqualTo(first.id());
      }
      assertThat(harness.driver().machines()).hasSize(2);
      assertThat(harness.run(again.id(), "1").error()).isNull();
      harness.sandboxes().terminate(PROJECT, again.id());
    }
    assertThat(step).as("steps").isBetween(5, MANY - 1);
  }

  /** Something that a full disk refuses, and how one sees that it is done. */
  private interface Operation {
    void run(int step);

    void check();

    void undo();
  }

  /** Before each step: what was there goes on, nothing is left, and the next attempt works. */
  private void sweep(Operation operation) {
    String id = harness.sandboxes().create(PROJECT, spec("it"), null).id();
    harness.run(id, "x = 41");
    boolean came = true;
    int refused = 0;
    for (int step = 0; came && step < MANY; step++) {
      Fault fault = new Fault(step, false);
      harness.steps = fault::before;
      try {
        operation.run(step);
      } catch (AtollException e) {
        refused++;
        assertThat(e.code()).isEqualTo(ErrorCode.STORAGE_FULL);
        quiet();
        assertThat(harness.folders("snapshots")).noneMatch(file -> file.startsWith("."));
        assertThat(harness.images()).isEmpty();
        assertThat(harness.driver().machines()).hasSize(1);
        assertThat(harness.sandboxes().get(PROJECT, "it").state()).isEqualTo(SandboxState.RUNNING);
        assertThat(harness.run(id, "x + 1").text()).hasValue("42");
        operation.run(step);
      }
      came = fault.came();
      quiet();
      operation.check();
      if (!came) {
        harness.restart();
        operation.check();
      }
      operation.undo();
    }
    assertThat(came).as("all steps were tried").isFalse();
    assertThat(refused).isPositive();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFullDiskRefusesACreateAndKeepsNothingOfIt(boolean keyed) {
    sweep(
        new Operation() {
          private String made = "";

          @Override
          public void run(int step) {
            made = harness.sandboxes().create(PROJECT, spec(null), keyed ? "k" + step : null).id();
          }

          @Override
          public void check() {
            assertThat(harness.driver().machines()).hasSize(2);
          }

          @Override
          public void undo() {
            harness.sandboxes().terminate(PROJECT, made);
          }
        });
  }

  @Test
  void aFullDiskRefusesASnapshotAndTheSandboxGoesOn() {
    sweep(
        new Operation() {
          @Override
          public void run(int step) {
            SnapshotInfo _ =
                harness
                    .engine()
                    .snapshots()
                    .create(
                        PROJECT, "it", new SnapshotRequest("kept", Map.of(), SnapshotKind.MEMORY));
          }

          @Override
          public void check() {
            assertThat(harness.images()).hasSize(1);
          }

          @Override
          public void undo() {
            harness.engine().snapshots().delete(PROJECT, "kept");
          }
        });
  }

  @Test
  void aFullDiskRefusesToHibernateAndToWake() {
    sweep(
        new Operation() {
          @Override
          public void run(int step) {
            SandboxInfo _ = harness.sandboxes().hibernate(PROJECT, "it");
          }

          @Override
          public void check() {
            assertThat(harness.images()).hasSize(1);
            assertThat(harness.driver().machines()).isEmpty();
            assertState(SandboxState.HIBERNATED);
          }

          @Override
          public void undo() {
            Fault fault = new Fault(0, false);
            harness.steps = fault::before;
            EngineHarness.assertCode(
                ErrorCode.STORAGE_FULL, () -> harness.sandboxes().wake(PROJECT, "it"));
            check();
            quiet();
            assertThat(harness.run("it", "x + 1").text()).hasValue("42");
          }
        });
  }

  private void assertState(SandboxState state) {
    assertThat(harness.sandboxes().get(PROJECT, "it").state()).isEqualTo(state);
  }

  @Test
  void aPauseThatCouldNotBeWrittenHasNotHappened() {
    sweep(
        new Operation() {
          @Override
          public void run(int step) {
            SandboxInfo _ = harness.sandboxes().pause(PROJECT, "it");
          }

          @Override
          public void check() {
            assertState(SandboxState.PAUSED);
          }

          @Override
          public void undo() {
            SandboxInfo _ = harness.sandboxes().resume(PROJECT, "it");
          }
        });
  }

  @Test
  void aChangeThatCouldNotBeWrittenIsNotShown() {
    String id = harness.create();
    SandboxUpdate update =
        new SandboxUpdate(null, null, null, null, Map.of("a", "b"), null, null, null, null, null);
    Fault fault = new Fault(0, false);
    harness.steps = fault::before;
    EngineHarness.assertCode(
        ErrorCode.STORAGE_FULL, () -> harness.sandboxes().update(PROJECT, id, update));
    assertThat(harness.sandboxes().get(PROJECT, id).metadata()).isEmpty();
    assertThat(harness.sandboxes().update(PROJECT, id, update).metadata()).containsKey("a");
  }

  @Test
  void anEndThatCouldNotBeWrittenHasNotHappened() {
    String id = harness.create();
    // Also the reserve does not help.
    harness.steps =
        step -> {
          throw new AtollException(ErrorCode.STORAGE_BUSY, "locked");
        };
    EngineHarness.assertCode(
        ErrorCode.STORAGE_BUSY, () -> harness.sandboxes().terminate(PROJECT, id));
    quiet();
    assertThat(harness.sandboxes().get(PROJECT, id).state()).isEqualTo(SandboxState.RUNNING);
    assertThat(harness.run(id, "1").error()).isNull();
    harness.sandboxes().terminate(PROJECT, id);
    assertThat(harness.driver().machines()).isEmpty();
  }
}
