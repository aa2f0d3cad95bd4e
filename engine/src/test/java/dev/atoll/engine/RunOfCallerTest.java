package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.atoll.engine.run.Ticket;
import dev.atoll.model.AtollException;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunStatus;
import dev.atoll.model.WhenBusy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs whose callers chose an id, go away, or do not want to wait. */
class RunOfCallerTest {
  private static final String ENDLESS = "while True: pass";
  private static final Duration LONG = Duration.ofSeconds(60);

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

  private static RunCodeRequest request(
      String code, @Nullable Double reconnect, @Nullable String chosen, @Nullable WhenBusy busy) {
    return new RunCodeRequest(
        code, null, null, null, null, null, null, reconnect, chosen, busy, null);
  }

  private Run code(String code, @Nullable String chosen) {
    return harness.sandboxes().runCode(PROJECT, id, request(code, null, chosen, null));
  }

  @Test
  void aRepeatedIdGivesTheSameRun() {
    Run first = code("x = 41\nx + 1", "mine-1");
    assertThat(first.id()).isEqualTo("mine-1");
    assertThat(code("raise ValueError('twice')", "mine-1")).isSameAs(first);
    assertThat(first.result().text()).hasValue("42");
    assertThat(code("raise ValueError('twice')", "mine-1").result().text()).hasValue("42");
    assertThat(harness.sandboxes().run(PROJECT, id, "mine-1")).isSameAs(first);
  }

  @Test
  void anIdIsOfOneSandboxAlone() throws IOException {
    Run first = code("1", "mine-1");
    String other = harness.create();
    Run second = harness.sandboxes().runCode(PROJECT, other, request("2", null, "mine-1", null));
    assertThat(second).isNotSameAs(first);
    assertThat(second.result().text()).hasValue("2");
  }

  @Test
  void aCommandHasTheIdOfItsCallerToo() {
    CommandRequest request =
        new CommandRequest(
            List.of("cat"),
            null,
            null,
            null,
            null,
            null,
            true,
            null,
            null,
            null,
            null,
            null,
            null,
            "mine.2");
    Run first = harness.sandboxes().startProcess(PROJECT, id, request);
    assertThat(harness.sandboxes().startProcess(PROJECT, id, request)).isSameAs(first);
    assertThat(harness.sandboxes().processes(PROJECT, id)).hasSize(1);
    harness.sandboxes().cancel(PROJECT, id, "mine.2");
    assertThat(first.result().status()).isEqualTo(RunStatus.INTERRUPTED);
  }

  @Test
  void whoeverDoesNotWantToWaitIsTold() {
    Run first = code(ENDLESS, null);
    assertThatThrownBy(
            () -> harness.sandboxes().runCode(PROJECT, id, request("1", null, null, WhenBusy.FAIL)))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    first.cancel();
    assertThat(first.await(LONG)).isTrue();
  }

  @Test
  void aRunInTheQueueIsCancelledByItsId() throws Exception {
    Run first = code(ENDLESS, null);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Run> second = threads.submit(() -> code("1", "waiting"));
      await()
          .atMost(LONG)
          .ignoreExceptions()
          .until(
              () -> {
                harness.sandboxes().cancel(PROJECT, id, "waiting");
                return true;
              });
      assertThatThrownBy(second::get).hasMessageContaining("before it began");
      assertThat(first.await(Duration.ZERO)).isFalse();
      first.cancel();
    }
    assertThat(code("x = 41\nx + 1", null).result().text()).hasValue("42");
  }

  @Test
  void aTicketThatIsGivenUpLeavesTheQueue() throws Exception {
    Run first = code(ENDLESS, null);
    Ticket ticket = new Ticket();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Run> second =
          threads.submit(
              () ->
                  harness.sandboxes().runCode(PROJECT, id, request("1", null, null, null), ticket));
      assertThat(ticket.cancel()).isTrue();
      assertThatThrownBy(second::get).hasMessageContaining("before it began");
    }
    first.cancel();
    assertThat(code("x = 41\nx + 1", null).result().text()).hasValue("42");
  }

  @Test
  void aRunWhoseCallerHasGoneEnds() {
    Run run = harness.sandboxes().runCode(PROJECT, id, request(ENDLESS, 0.0, null, null));
    RunEvents caller = run.hold(0);
    caller.close();
    run.abandon();
    assertThat(run.await(LONG)).isTrue();
    assertThat(run.result().status()).isEqualTo(RunStatus.INTERRUPTED);
  }

  @Test
  void aRunGoesOnForTheTimeThatItsCallerHasToComeBack() {
    Run run = harness.sandboxes().runCode(PROJECT, id, request(ENDLESS, 3600.0, null, null));
    run.hold(0).close();
    run.abandon();
    try (RunEvents again = run.hold(0)) {
      assertThat(again.next(LONG)).isNotNull();
      assertThat(run.await(Duration.ZERO)).isFalse();
    }
    run.cancel();
    assertThat(run.await(LONG)).isTrue();
  }

  @Test
  void aDetachedRunGoesOn() {
    Run run = code(ENDLESS, null);
    run.hold(0).close();
    run.abandon();
    assertThat(run.await(Duration.ofMillis(300))).isFalse();
    run.cancel();
    assertThat(run.await(LONG)).isTrue();
  }
}
