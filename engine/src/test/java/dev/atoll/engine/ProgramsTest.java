package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.engine.budget.FairBudget;
import dev.atoll.engine.program.OneShot;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ExecuteRequest;
import dev.atoll.model.ExecuteResult;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import dev.atoll.model.SandboxInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that run once, on a fake host whose languages are made of its few programs. */
class ProgramsTest {
  private static final String LANGUAGES =
      """
      languages:
        parrot: {file: input.txt, run: cat}
        compiled: {file: main.txt, compile: true, run: echo done}
        broken: {file: main.txt, compile: echo no; exit 4, run: echo done}
        endless: {file: main.txt, run: ticker}
        absent: {file: main.txt, run: no-such-program}
      """;

  @TempDir Path folder;
  private EngineHarness harness;

  @BeforeEach
  void open() throws IOException {
    harness = new EngineHarness(folder, LANGUAGES);
  }

  @AfterEach
  void close() {
    assertThat(living()).isEmpty();
    harness.close();
  }

  private List<SandboxInfo> living() {
    return harness
        .sandboxes()
        .list(PROJECT, new SandboxQuery(100, null, Set.of(), null, Map.of()))
        .items();
  }

  private ExecuteResult execute(ExecuteRequest request) {
    try (OneShot program = harness.engine().programs().open(PROJECT, request)) {
      return program.execute(new BudgetAccount(FairBudget.HEAP, PROJECT));
    }
  }

  private static ExecuteRequest withInput(String language, String stdin) {
    return new ExecuteRequest(
        language, "", null, stdin, null, null, null, null, null, null, null, null, null, null, null,
        null);
  }

  @Test
  void theTemplateMayBeAVersionOrATag() {
    for (String template : List.of("nothing@3", "nothing:stable", "other/nothing")) {
      ExecuteRequest request =
          new ExecuteRequest(
              "parrot", "", null, null, null, null, null, null, null, template, null, null, null,
              null, null, null);
      assertThatThrownBy(() -> execute(request))
          .isInstanceOfSatisfying(
              AtollException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.TEMPLATE_NOT_FOUND));
    }
  }

  @Test
  void aProgramGetsItsInput() {
    ExecuteResult result = execute(withInput("parrot", "hello"));
    assertThat(result.status()).isEqualTo(RunStatus.OK);
    assertThat(result.stdout()).isEqualTo("hello");
    assertThat(result.compile()).isNull();
  }

  @Test
  void aCompilerComesFirst() {
    List<RunEvent> events = new ArrayList<>();
    ExecuteRequest request = ExecuteRequest.of("Compiled", "");
    try (OneShot program = harness.engine().programs().open(PROJECT, request)) {
      program.execute(events::add);
    }
    assertThat(events.getFirst()).isInstanceOf(RunEvent.Compiled.class);
    assertThat(events.getLast()).isInstanceOf(RunEvent.End.class);
  }

  @Test
  void whatTheCompilerRefusesDoesNotRun() {
    ExecuteResult result = execute(ExecuteRequest.of("broken", ""));
    assertThat(result.status()).isEqualTo(RunStatus.COMPILATION_ERROR);
    assertThat(result.exitCode()).isEqualTo(4);
    assertThat(requireNonNull(result.compile()).output()).isEqualTo("no\n");
    assertThat(result.stdout()).isEmpty();
  }

  @Test
  void aProgramThatIsNotThereIsSaid() {
    ExecuteResult result = execute(ExecuteRequest.of("absent", ""));
    assertThat(result.status()).isEqualTo(RunStatus.ERROR);
    assertThat(result.exitCode()).isEqualTo(127);
    assertThat(result.message()).contains("no-such-program");
  }

  @Test
  void anUnknownLanguageMakesNoSandbox() {
    assertThatThrownBy(() -> execute(ExecuteRequest.of("cobol", "")))
        .isInstanceOfSatisfying(
            AtollException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_LANGUAGE);
              assertThat(e.hint()).contains("parrot");
            });
  }

  @Test
  void closingEndsWhatRuns() throws InterruptedException {
    ExecuteRequest request = ExecuteRequest.of("endless", "");
    List<RunEvent> events = new ArrayList<>();
    OneShot program = harness.engine().programs().open(PROJECT, request);
    Thread runner = Thread.ofVirtual().start(() -> program.execute(events::add));
    program.close();
    runner.join();
    assertThat(events.getLast())
        .isInstanceOfSatisfying(
            RunEvent.End.class, end -> assertThat(end.status()).isEqualTo(RunStatus.SANDBOX_DIED));
  }

  @Test
  void itsSandboxHasATimeToLive() {
    try (OneShot program =
        harness.engine().programs().open(PROJECT, ExecuteRequest.of("parrot", ""))) {
      assertThat(program).isNotNull();
      assertThat(living())
          .singleElement()
          .satisfies(info -> assertThat(info.expiresAt()).isNotNull());
    }
  }
}
