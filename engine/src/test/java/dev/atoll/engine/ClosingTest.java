package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static dev.atoll.engine.EngineHarness.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.SandboxInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a server that ends leaves behind: its sandboxes, and nothing else. */
@Timeout(120)
class ClosingTest {
  private static final Duration PATIENCE = Duration.ofSeconds(45);

  @TempDir Path folder;

  @Test
  void aMachineThatIsBeingMadeForAPoolDoesNotStay() throws Exception {
    EngineHarness harness = open(1);
    // The first one builds the template, of which the pool makes machines then.
    harness.create();
    await().atMost(PATIENCE).until(() -> harness.engine().pools().totals().ready() == 1);
    CountDownLatch hold = new CountDownLatch(1);
    harness.driver().holdNext(hold);
    harness.create();
    closeWhile(harness, hold);
    assertThat(harness.driver().machines()).hasSize(2);
    assertThat(harness.folders("sandboxes")).hasSize(2);
  }

  @Test
  void aForkThatIsBeingPreparedDoesNotStay() throws Exception {
    EngineHarness harness = open(0);
    SandboxInfo sandbox =
        harness.sandboxes().create(PROJECT, spec(null, null, null, null, null, 2), null);
    Set<String> before = harness.driver().machines();
    CountDownLatch hold = new CountDownLatch(1);
    harness.driver().holdNext(hold);
    harness.run(sandbox.id(), "x = 5");
    closeWhile(harness, hold);
    assertThat(harness.driver().machines()).isEqualTo(before);
    assertThat(harness.folders("sandboxes")).hasSize(1);
  }

  private EngineHarness open(int warm) throws IOException {
    return new EngineHarness(
        folder, SandboxDefaults.standard(), StateSettings.defaults().withReady(warm, 0));
  }

  /** Closes the engine while the making of a machine is held up. */
  private static void closeWhile(EngineHarness harness, CountDownLatch hold)
      throws InterruptedException {
    await().atMost(PATIENCE).until(() -> harness.driver().holds(hold));
    Thread closing = Thread.ofPlatform().start(harness::close);
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                switch (closing.getState()) {
                  case WAITING, TIMED_WAITING, TERMINATED -> true;
                  case NEW, RUNNABLE, BLOCKED -> false;
                });
    hold.countDown();
    assertThat(closing.join(PATIENCE)).isTrue();
  }
}
