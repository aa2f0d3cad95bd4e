package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.AtollException;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.ContextInfo;
import dev.atoll.model.ContextSpec;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunTest {
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

  private Run code(String code, @Nullable String context, @Nullable Double timeout) {
    return harness
        .sandboxes()
        .runCode(PROJECT, id, new RunCodeRequest(code, null, context, null, timeout, null));
  }

  private Run command(boolean background, String... argv) {
    CommandRequest request =
        new CommandRequest(
            List.of(argv), null, null, null, null, null, background, null, null, null, null);
    return background
        ? harness.sandboxes().startProcess(PROJECT, id, request)
        : harness.sandboxes().runCommand(PROJECT, id, CommandRequest.argv(List.of(argv)));
  }

  private static List<RunEvent> all(Run run, long from) {
    List<RunEvent> events = new ArrayList<>();
    try (RunEvents reader = run.events(from)) {
      while (!reader.ended()) {
        RunEvent event = reader.next(Duration.ofSeconds(20));
        assertThat(event).as("an event within 20 s").isNotNull();
        if (event != null) {
          events.add(event);
        }
      }
    }
    return events;
  }

  @Test
  void theLastExpressionIsTheResult() {
    RunResult result = harness.run(id, "x = 41\nx + 1");
    assertThat(result.text()).hasValue("42");
    assertThat(result.ok()).isTrue();
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void anExceptionIsToldWithItsNameAndTheVariablesStay() {
    harness.run(id, "x = 41");
    RunResult result = harness.run(id, "raise ValueError('bad')");
    assertThat(result.status()).isEqualTo(RunStatus.ERROR);
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.error())
        .isNotNull()
        .satisfies(error -> assertThat(error.summary()).isEqualTo("ValueError: bad"));
    assertThat(harness.run(id, "print(x + 1)").stdout()).isEqualTo("42\n");
  }

  @Test
  void contextsHaveVariablesOfTheirOwn() {
    code("x = 1", "a", null).result();
    code("x = 2", "b", null).result();
    assertThat(code("print(x)", "a", null).result().stdout()).isEqualTo("1\n");
    assertThat(harness.sandboxes().contexts(PROJECT, id))
        .extracting(ContextInfo::name)
        .containsExactly("a", "b");
  }

  @Test
  void aRestartedContextHasForgotten() {
    code("x = 1", "a", null).result();
    harness.sandboxes().restartContext(PROJECT, id, "a");
    assertThat(code("print(x)", "a", null).result().status()).isEqualTo(RunStatus.ERROR);
    harness.sandboxes().deleteContext(PROJECT, id, "a");
    assertThat(harness.sandboxes().contexts(PROJECT, id)).isEmpty();
    assertThatThrownBy(() -> harness.sandboxes().deleteContext(PROJECT, id, "a"))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONTEXT_NOT_FOUND));
  }

  @Test
  void aContextIsOpenedOnce() {
    harness.sandboxes().openContext(PROJECT, id, new ContextSpec("a", "python", null));
    assertThatThrownBy(
            () -> harness.sandboxes().openContext(PROJECT, id, new ContextSpec("a", null, null)))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
  }

  @Test
  void aRunOverItsTimeIsInterruptedAndTheVariablesStay() {
    harness.run(id, "x = 41");
    RunResult result = code("while True: pass", null, 0.3).result();
    assertThat(result.status()).isEqualTo(RunStatus.TIMEOUT);
    assertThat(result.exitCode()).isEqualTo(124);
    assertThat(harness.run(id, "print(x + 1)").stdout()).isEqualTo("42\n");
  }

  @Test
  void cancellingStopsTheRunAndTheNextOneWorks() {
    Run run = code("while True: pass", null, null);
    run.cancel();
    assertThat(run.result().status()).isEqualTo(RunStatus.INTERRUPTED);
    assertThat(harness.run(id, "print('next')").stdout()).isEqualTo("next\n");
  }

  @Test
  void runsOfOneContextWaitForEachOther() {
    Run first = code("sleep(0.5)\nprint('first')", null, null);
    Run second = code("print('second')", null, null);
    assertThat(first.await(Duration.ZERO)).isTrue();
    assertThat(second.result().stdout()).isEqualTo("second\n");
  }

  @Test
  void eventsComeInOrderAndEndWithEnd() {
    List<RunEvent> events = all(code("print('a')\nprint('b')\n7", null, null), 0);
    assertThat(events.getFirst()).isInstanceOf(RunEvent.Started.class);
    assertThat(events.getLast()).isInstanceOf(RunEvent.End.class);
    assertThat(events).anyMatch(RunEvent.Result.class::isInstance);
  }

  @Test
  void aLateReaderGetsTheOutputFromItsOffset() {
    Run run = code("print('hello')", null, null);
    run.result();
    Run found = harness.sandboxes().run(PROJECT, id, run.id());
    String rest = "";
    for (RunEvent event : all(found, 2)) {
      if (event instanceof RunEvent.Stdout out) {
        assertThat(out.offset()).isEqualTo(2);
        rest = out.text();
      }
    }
    assertThat(rest).isEqualTo("llo\n");
  }

  @Test
  void outputOverTheLimitIsCutWithAMarker() {
    Run run =
        harness
            .sandboxes()
            .runCommand(
                PROJECT,
                id,
                new CommandRequest(
                    List.of("yes"), null, null, null, null, null, null, null, 0.5, 1000L, null));
    RunResult result = run.result();
    assertThat(result.status()).isEqualTo(RunStatus.TIMEOUT);
    assertThat(result.cutBytes()).isPositive();
    assertThat(result.stdout()).contains("bytes of output left out").hasSizeLessThan(1100);
  }

  @Test
  void aCommandGivesItsOutputAndExitCode() {
    assertThat(command(false, "echo", "hi").result().stdout()).isEqualTo("hi\n");
    assertThat(command(false, "false").result().exitCode()).isEqualTo(1);
  }

  @Test
  void stdinReachesTheProgram() {
    CommandRequest cat =
        new CommandRequest(
            List.of("cat"), null, null, null, null, "from stdin", null, null, null, null, null);
    assertThat(harness.sandboxes().runCommand(PROJECT, id, cat).result().stdout())
        .isEqualTo("from stdin");
  }

  @Test
  void aBackgroundProcessIsListedFedAndForgotten() {
    Run cat = command(true, "cat");
    assertThat(harness.sandboxes().processes(PROJECT, id)).hasSize(1);
    byte[] bytes = "ping\n".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    cat.writeStdin(bytes, 0, bytes.length);
    cat.closeStdin();
    assertThat(cat.result().stdout()).isEqualTo("ping\n");
    harness.sandboxes().forget(PROJECT, id, cat.id());
    assertThat(harness.sandboxes().processes(PROJECT, id)).isEmpty();
  }

  @Test
  void aSignalEndsAProcess() {
    Run sleep = command(true, "sleep", "60");
    sleep.signal(15, false);
    RunResult result = sleep.result();
    assertThat(result.status()).isEqualTo(RunStatus.KILLED);
    assertThat(result.signal()).isEqualTo("SIGTERM");
    assertThat(result.exitCode()).isEqualTo(143);
  }

  @Test
  void anUnknownProgramIsNamed() {
    assertThatThrownBy(() -> command(false, "no-such-program"))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.COMMAND_NOT_FOUND));
  }

  @Test
  void aRunSurvivesARestartWithItsOutputAndVariables() {
    harness.run(id, "x = 41");
    Run run = code("print('before')\nsleep(1.5)\nprint('after')", null, 30.0);
    harness.restart();
    Run found = harness.sandboxes().run(PROJECT, id, run.id());
    StringBuilder output = new StringBuilder();
    for (RunEvent event : all(found, 0)) {
      if (event instanceof RunEvent.Stdout out) {
        output.append(out.text());
      }
    }
    assertThat(output.toString()).isEqualTo("before\nafter\n");
    assertThat(harness.run(id, "print(x + 1)").stdout()).isEqualTo("42\n");
  }

  @Test
  void aTimeoutHoldsAcrossARestart() {
    Run run = code("while True: pass", null, 1.5);
    harness.restart();
    assertThat(harness.sandboxes().run(PROJECT, id, run.id()).result().status())
        .isEqualTo(RunStatus.TIMEOUT);
  }

  @Test
  void aBackgroundProcessSurvivesARestart() {
    Run cat = command(true, "cat");
    harness.restart();
    Run found = harness.sandboxes().run(PROJECT, id, cat.id());
    byte[] bytes = "ping\n".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    found.writeStdin(bytes, 0, bytes.length);
    found.closeStdin();
    assertThat(found.result().stdout()).isEqualTo("ping\n");
  }

  @Test
  void aRunThatEndsWhileNoServerIsThereIsKnownAfterwards() throws InterruptedException {
    Run run =
        harness
            .sandboxes()
            .runCode(PROJECT, id, RunCodeRequest.python("print('a')\nsleep(0.5)\nprint('b')\n42"));
    harness.stop();
    Thread.sleep(1000);
    harness.start();
    RunResult result = harness.sandboxes().run(PROJECT, id, run.id()).result();
    assertThat(result.stdout()).isEqualTo("a\nb\n");
    assertThat(result.text()).hasValue("42");
    assertThat(result.status()).isEqualTo(RunStatus.OK);
    assertThat(harness.run(id, "print('next')").stdout()).isEqualTo("next\n");
  }

  @Test
  void aSandboxThatExpiresWhileTheServerIsDownIsEndedAtItsStart() throws InterruptedException {
    harness
        .sandboxes()
        .update(
            PROJECT,
            id,
            new dev.atoll.model.SandboxUpdate(
                1.0, null, null, null, null, null, null, null, null, null));
    harness.stop();
    Thread.sleep(1200);
    harness.start();
    await().until(() -> harness.driver().machines().isEmpty());
    assertThat(harness.sandboxes().get(PROJECT, id).reason()).isEqualTo("ttl");
  }

  @Test
  void aSandboxThatDiesWhileTheServerIsDownIsLost() {
    harness.stop();
    harness.driver().crash(harness.machine());
    harness.start();
    assertThat(harness.sandboxes().get(PROJECT, id).reason()).isEqualTo("lost");
    assertThat(harness.folders("sandboxes")).isEmpty();
  }

  /** The guest ends when channels are opened out of order. */
  @Test
  void manyStartAtOnce() throws Exception {
    try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> outputs = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        String word = "word" + i;
        outputs.add(
            tasks.submit(
                () ->
                    harness
                        .sandboxes()
                        .runCommand(PROJECT, id, CommandRequest.argv(List.of("echo", word)))
                        .result()
                        .stdout()));
      }
      for (int i = 0; i < outputs.size(); i++) {
        assertThat(outputs.get(i).get()).isEqualTo("word" + i + "\n");
      }
    }
  }
}
