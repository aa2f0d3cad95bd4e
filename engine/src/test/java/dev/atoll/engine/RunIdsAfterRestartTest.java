package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static dev.atoll.engine.EngineHarness.assertCode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.CommandRequest;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs whose callers chose an id, asked for at the server that came after. */
class RunIdsAfterRestartTest {
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

  private static CommandRequest command(String chosen, boolean stdin, String... argv) {
    return new CommandRequest(
        List.of(argv),
        null,
        null,
        null,
        null,
        null,
        stdin ? true : null,
        null,
        null,
        null,
        null,
        null,
        null,
        chosen);
  }

  private Run code(String code, @Nullable String chosen) {
    return harness
        .sandboxes()
        .runCode(
            PROJECT,
            id,
            new RunCodeRequest(code, null, null, null, null, null, null, null, chosen, null, null));
  }

  private Run run(String chosen) {
    return harness.sandboxes().run(PROJECT, id, chosen);
  }

  private void awaitOutput(String chosen, long bytes) {
    await().atMost(LONG).until(() -> run(chosen).info().outputBytes() == bytes);
  }

  @Test
  void processesAreFoundWithTheirOutput() {
    CommandRequest request = command("mine.1", true, "cat");
    Run first = harness.sandboxes().startProcess(PROJECT, id, request);
    first.writeStdin("hello\n".getBytes(StandardCharsets.UTF_8), 0, 6);
    awaitOutput("mine.1", 6);
    harness.restart();
    ProcessInfo found = run("mine.1").info();
    assertThat(found.running()).isTrue();
    assertThat(found.outputBytes()).isEqualTo(6);
    Run again = harness.sandboxes().startProcess(PROJECT, id, request);
    assertThat(again.info().pid()).isEqualTo(found.pid());
    assertThat(harness.sandboxes().processes(PROJECT, id)).hasSize(1);
    again.closeStdin();
    assertThat(again.result().stdout()).isEqualTo("hello\n");
    harness.restart();
    assertThat(run("mine.1").result().stdout()).isEqualTo("hello\n");
  }

  @Test
  void commandsThatRunAreFound() {
    CommandRequest request = command("mine-2", false, "sleep", "3600");
    Run first = harness.sandboxes().runCommand(PROJECT, id, request);
    int pid = first.info().pid();
    harness.restart();
    Run again = harness.sandboxes().runCommand(PROJECT, id, request);
    assertThat(again.info().pid()).isEqualTo(pid);
    assertThat(again.id()).isEqualTo("mine-2");
    harness.sandboxes().cancel(PROJECT, id, "mine-2");
    assertThat(run("mine-2").result().status()).isEqualTo(RunStatus.INTERRUPTED);
  }

  @Test
  void codeThatRunsIsFoundAndNotRunTwice() {
    Run first = code("print('begun')\n" + ENDLESS, "job-17");
    assertThat(first.id()).isEqualTo("job-17");
    awaitOutput("job-17", 6);
    harness.restart();
    assertThat(run("job-17").info().running()).isTrue();
    assertThat(run("job-17").info().outputBytes()).isEqualTo(6);
    Run again = code("raise ValueError('twice')", "job-17");
    assertThat(again).isSameAs(run("job-17"));
    harness.restart();
    harness.sandboxes().cancel(PROJECT, id, "job-17");
    RunResult result = run("job-17").result();
    assertThat(result.status()).isEqualTo(RunStatus.INTERRUPTED);
    assertThat(result.stdout()).isEqualTo("begun\n");
  }

  @Test
  void codeThatEndsWhileThereIsNoServerIsFound() {
    Run _ = code("x = 41\nsleep(0.05)\nx + 1", "job-18");
    harness.stop();
    harness.start();
    assertThat(run("job-18").result().text()).hasValue("42");
    assertThat(code("raise ValueError('twice')", "job-18").result().text()).hasValue("42");
    harness.restart();
    assertThat(run("job-18").result().text()).hasValue("42");
  }

  @Test
  void anIdThatWasGivenAgainIsTheNewerOnes() {
    assertThat(code("x = 1\nx", "twice").result().text()).hasValue("1");
    harness.sandboxes().forget(PROJECT, id, "twice");
    Run second = code(ENDLESS, "twice");
    assertThat(second.info().running()).isTrue();
    harness.restart();
    assertThat(run("twice").info().running()).isTrue();
    run("twice").cancel();
    assertThat(run("twice").await(LONG)).isTrue();
  }

  @Test
  void codeWithoutAChosenIdHasTheServersOwn() {
    Run first = code(ENDLESS, null);
    harness.restart();
    assertThat(run(first.id()).info().running()).isTrue();
    run(first.id()).cancel();
    assertThat(run(first.id()).await(LONG)).isTrue();
  }

  @Test
  void manyIdsTakeABoundedPlace() throws IOException {
    for (int i = 0; i < 1100; i++) {
      assertThat(code("x = 1", "id-" + i).await(LONG)).isTrue();
    }
    Run last = code(ENDLESS, "last");
    Path file = folder.resolve("data/sandboxes").resolve(harness.machine()).resolve("run-ids");
    assertThat(file).isRegularFile();
    assertThat(java.nio.file.Files.readAllLines(file).stream().filter(line -> !line.isEmpty()))
        .hasSizeBetween(512, 1025)
        .last()
        .asString()
        .endsWith(" last");
    harness.restart();
    assertThat(run("last").info().running()).isTrue();
    assertThat(last.id()).isEqualTo("last");
    run("last").cancel();
  }

  @Test
  void anIdOfNobodyIsNotFound() {
    harness.restart();
    assertCode(ErrorCode.PROCESS_NOT_FOUND, () -> run("nobody"));
  }
}
