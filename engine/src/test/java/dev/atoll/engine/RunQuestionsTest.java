package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static dev.atoll.engine.EngineHarness.assertCode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.engine.budget.FairBudget;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.InputAnswer;
import dev.atoll.model.Json;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Code that asks whoever runs it. */
class RunQuestionsTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String ASKS = "x = input('name? ')\nprint(x)";

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

  private Run begin(String code) {
    return begin(code, null, null);
  }

  private Run begin(String code, @Nullable String language, @Nullable Double timeout) {
    RunCodeRequest request =
        new RunCodeRequest(code, language, null, null, timeout, null).answered();
    return harness.sandboxes().runCode(PROJECT, id, request);
  }

  /** The question that a run waits with. */
  private static RunEvent.InputRequest question(Run run) {
    try (RunEvents events = run.events(0)) {
      while (!events.ended()) {
        RunEvent event = events.next(LONG);
        assertThat(event).as("an event in time").isNotNull();
        if (event instanceof RunEvent.InputRequest question) {
          return question;
        }
      }
    }
    throw new AssertionError("it ended without a question");
  }

  private static List<RunEvent> all(Run run) {
    List<RunEvent> all = new ArrayList<>();
    try (RunEvents events = run.events(0)) {
      for (RunEvent event = events.next(LONG); event != null; event = events.next(LONG)) {
        all.add(event);
      }
    }
    return all;
  }

  private static void answer(Run run, String text) {
    run.answer(InputAnswer.text(question(run).id(), text));
  }

  @Test
  void codeThatAsksGoesOnWithTheAnswer() {
    Run run = begin(ASKS);
    RunEvent.InputRequest question = question(run);
    assertThat(question.prompt()).isEqualTo("name? ");
    assertThat(Json.lenient().writerFor(RunEvent.class).writeValueAsString(question))
        .isEqualTo(
            "{\"type\":\"input_request\",\"id\":\"%s\",\"prompt\":\"name? \"}"
                .formatted(question.id()));
    run.answer(InputAnswer.text(question.id(), "Ada"));
    RunResult result = run.result();
    assertThat(result.stdout()).isEqualTo("Ada\n");
    assertThat(result.status()).isEqualTo(RunStatus.OK);
  }

  @Test
  void whoHasNotSaidThatHeAnswersIsNotAsked() {
    RunResult result = harness.run(id, ASKS);
    assertThat(result.error()).extracting("name").isEqualTo("EOFError");
  }

  @Test
  void aPasswordIsMarkedAndIsInNoEvent() {
    Run run = begin("x = getpass('Password: ')\nprint('done')");
    RunEvent.InputRequest question = question(run);
    assertThat(question.asksPassword()).isTrue();
    InputAnswer answer = InputAnswer.text(question.id(), "hunter2");
    assertThat(answer.toString()).doesNotContain("hunter2");
    run.answer(answer);
    assertThat(run.result().stdout()).isEqualTo("done\n");
    assertThat(all(run).toString() + run.info()).doesNotContain("hunter2");
  }

  @Test
  void theInputMayEnd() {
    Run run = begin(ASKS);
    run.answer(InputAnswer.endOfInput(question(run).id()));
    assertThat(run.result().error()).extracting("name").isEqualTo("EOFError");
  }

  @Test
  void anAnswerToWhatIsNotAskedIsRefused() {
    Run run = begin("x = input('1')\ny = input('2')\nprint(x + y)");
    String first = question(run).id();
    assertCode(ErrorCode.INPUT_NOT_AWAITED, () -> run.answer(InputAnswer.text("q999999", "other")));
    run.answer(InputAnswer.text(first, "a"));
    await().atMost(LONG).until(() -> !question(run).id().equals(first));
    assertCode(ErrorCode.INPUT_NOT_AWAITED, () -> run.answer(InputAnswer.text(first, "again")));
    answer(run, "b");
    assertThat(run.result().stdout()).isEqualTo("ab\n");
    assertCode(ErrorCode.INPUT_NOT_AWAITED, () -> run.answer(InputAnswer.text(first, "late")));
    Run plain = harness.sandboxes().runCode(PROJECT, id, RunCodeRequest.python("1"));
    assertCode(ErrorCode.INPUT_NOT_AWAITED, () -> plain.answer(InputAnswer.text("q1", "none")));
  }

  @Test
  void whoComesLateIsToldOfTheQuestionThatWaitsAlone() {
    Run run = begin("x = input('1')\ny = input('2')\nprint(x + y)");
    RunEvent.InputRequest first = question(run);
    run.answer(InputAnswer.text(first.id(), "a"));
    await().atMost(LONG).until(() -> question(run).prompt().equals("2"));
    answer(run, "b");
    assertThat(run.await(LONG)).isTrue();
    assertThat(all(run))
        .hasExactlyElementsOfTypes(
            RunEvent.Started.class, RunEvent.Stdout.class, RunEvent.End.class);
  }

  @Test
  void aReaderWhoFollowsSeesEachQuestionOnceAndWhatComesAfterIt() {
    Run run = begin("x = input('1')\nprint(x)\ny = input('2')\nprint(y)");
    List<String> seen = new ArrayList<>();
    RunEvent.End end =
        run.follow(
            event -> {
              switch (event) {
                case RunEvent.InputRequest asked -> {
                  seen.add(asked.prompt());
                  run.answer(InputAnswer.text(asked.id(), "answer " + asked.prompt()));
                }
                case RunEvent.Stdout out -> seen.add(String.valueOf(out.text()));
                default -> {}
              }
            });
    assertThat(end.status()).isEqualTo(RunStatus.OK);
    assertThat(String.join("|", seen)).isEqualTo("1|answer 1\n|2|answer 2\n");
  }

  @Test
  void cancelAndTimeoutEndTheWaiting() {
    Run cancelled = begin(ASKS);
    RunEvent.InputRequest question = question(cancelled);
    cancelled.cancel();
    assertThat(cancelled.result().status()).isEqualTo(RunStatus.INTERRUPTED);
    assertCode(
        ErrorCode.INPUT_NOT_AWAITED,
        () -> cancelled.answer(InputAnswer.text(question.id(), "late")));
    Run slow = begin(ASKS, null, 0.3);
    assertThat(question(slow).prompt()).isEqualTo("name? ");
    assertThat(slow.result().status()).isEqualTo(RunStatus.TIMEOUT);
    assertThat(harness.run(id, "1 + 1").text()).hasValue("2");
  }

  @Test
  void aKernelThatCannotAskIsRefusedAndOtherwiseWorks() {
    assertCode(ErrorCode.INPUT_UNSUPPORTED, () -> begin("1", "bash", null));
    Run plain =
        harness
            .sandboxes()
            .runCode(PROJECT, id, new RunCodeRequest("1 + 1", "bash", null, null, null, null));
    assertThat(plain.result().text()).hasValue("2");
  }

  @Test
  void aQuestionOutlivesTheServer() {
    Run run = begin("x = input('1')\ny = input('2')\nprint(x + y)");
    run.answer(InputAnswer.text(question(run).id(), "a"));
    await().atMost(LONG).until(() -> question(run).prompt().equals("2"));
    harness.restart();
    Run after = harness.sandboxes().run(PROJECT, id, run.id());
    assertThat(question(after).prompt()).isEqualTo("2");
    answer(after, "b");
    assertThat(after.result().stdout()).isEqualTo("ab\n");
  }

  @Test
  void eachForkAsksAndIsAnsweredByItself() {
    Run run = begin(ASKS);
    RunEvent.InputRequest question = question(run);
    String child =
        harness.sandboxes().fork(PROJECT, id, ForkRequest.of(1)).children().getFirst().id();
    Run other = harness.sandboxes().run(PROJECT, child, run.id());
    other.answer(InputAnswer.text(question.id(), "there"));
    run.answer(InputAnswer.text(question.id(), "here"));
    assertThat(run.result().stdout()).isEqualTo("here\n");
    assertThat(other.result().stdout()).isEqualTo("there\n");
  }

  @Test
  void anAnswerWakesASandboxThatSleepsOverAQuestion() {
    Run run = begin(ASKS);
    RunEvent.InputRequest question = question(run);
    assertThat(harness.sandboxes().hibernate(PROJECT, id)).isNotNull();
    Run awake = harness.sandboxes().run(PROJECT, id, run.id());
    awake.answer(InputAnswer.text(question.id(), "good morning"));
    assertThat(awake.result().stdout()).isEqualTo("good morning\n");
  }

  @Test
  void whatWaitsIsPaidAndGivenBack() {
    long before = FairBudget.HEAP.heldBy(PROJECT);
    long plain;
    Run run = harness.sandboxes().runCode(PROJECT, id, RunCodeRequest.python("1"));
    assertThat(run.await(LONG)).isTrue();
    plain = FairBudget.HEAP.heldBy(PROJECT) - before;
    Run asking = begin(ASKS);
    RunEvent.InputRequest question = question(asking);
    assertThat(FairBudget.HEAP.heldBy(PROJECT) - before).isGreaterThan(2 * plain + (64 << 10));
    asking.answer(InputAnswer.text(question.id(), "x"));
    assertThat(asking.await(LONG)).isTrue();
    await().atMost(LONG).until(() -> FairBudget.HEAP.heldBy(PROJECT) - before <= 2 * plain);
  }
}
