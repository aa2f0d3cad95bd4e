package dev.atoll.agents;

import static dev.atoll.agents.FakeModel.code;
import static dev.atoll.agents.FakeModel.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.agents.tools.FakeWorkspace;
import dev.atoll.agents.tools.ToolResult;
import dev.atoll.agents.tools.Workspace;
import dev.atoll.model.ErrorBody;
import dev.atoll.model.ErrorCode;
import dev.atoll.sdk.SandboxNotFoundException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CodeAgentTest {
  private final FakeWorkspace workspace = new FakeWorkspace();
  private final List<AgentEvent> events = Collections.synchronizedList(new ArrayList<>());

  private CodeAgent.Builder agent(Model model) {
    return CodeAgent.builder(model)
        .workspaces(() -> workspace)
        .patience(new Patience(3, Duration.ofMillis(1), Duration.ofMillis(2)))
        .listener(events::add);
  }

  @Test
  void theLoopRunsCodeUntilTheModelAnswers() {
    FakeModel model = FakeModel.saying(code("print 42"), text("It is 42."));
    Outcome outcome = agent(model).build().run("What is 6 times 7?");
    assertThat(outcome.end()).isEqualTo(End.ANSWERED);
    assertThat(outcome.answer()).isEqualTo("It is 42.");
    assertThat(outcome.steps()).isEqualTo(2);
    assertThat(outcome.usage()).isEqualTo(new Usage(20, 10));
    assertThat(workspace.closed()).isTrue();
    assertThat(model.prompts().get(1).messages().get(2))
        .isInstanceOfSatisfying(
            Message.Results.class,
            results ->
                assertThat(results.answers().get(0).result()).isEqualTo(ToolResult.text("42")));
  }

  @Test
  void textCallsAndOutputAreHeardAsTheyHappen() {
    agent(FakeModel.saying(code("print a"), text("done"))).build().run("go");
    assertThat(events)
        .extracting(event -> event.getClass().getSimpleName())
        .containsExactly(
            "Opened",
            "Asked",
            "Text",
            "Replied",
            "Started",
            "Output",
            "Answered",
            "Text",
            "Replied",
            "Ended");
  }

  @Test
  void aTracebackGoesBackToTheModelWhichCorrectsIt() {
    FakeModel model =
        new FakeModel(
            prompt -> {
              Message last = prompt.messages().get(prompt.messages().size() - 1);
              return switch (last) {
                case Message.User ignored -> code("raise NameError");
                case Message.Results results ->
                    results.answers().get(0).result().text().contains("NameError")
                        ? code("print fixed")
                        : text("fixed");
                case Message.Assistant ignored -> text("?");
              };
            });
    Outcome outcome = agent(model).build().run("go");
    assertThat(outcome.answered()).isTrue();
    assertThat(outcome.failedCalls()).isEqualTo(1);
    assertThat(workspace.ran()).containsExactly("raise NameError", "print fixed");
  }

  @Test
  void aSessionKeepsSandboxAndConversation() {
    FakeModel model = FakeModel.saying(code("set a 1"), text("one"), code("get a"), text("two"));
    try (AgentSession session = agent(model).build().open()) {
      assertThat(session.ask("first").answer()).isEqualTo("one");
      assertThat(session.ask("second").answer()).isEqualTo("two");
      assertThat(session.messages()).hasSize(8);
      assertThat(workspace.closed()).isFalse();
    }
    assertThat(workspace.closed()).isTrue();
    assertThat(workspace.ran()).containsExactly("set a 1", "get a");
  }

  @Test
  void stepsAreBounded() {
    FakeModel model = new FakeModel(prompt -> code("print again"));
    Outcome outcome = agent(model).budget(Budget.defaults().withSteps(3)).build().run("loop");
    assertThat(outcome.end()).isEqualTo(End.STEP_LIMIT);
    assertThat(outcome.steps()).isEqualTo(3);
    assertThat(workspace.ran()).hasSize(2);
    assertThat(workspace.closed()).isTrue();
  }

  @Test
  void tokensAreBounded() {
    FakeModel model = new FakeModel(prompt -> code("print again"));
    Outcome outcome = agent(model).budget(Budget.defaults().withTokens(40)).build().run("loop");
    assertThat(outcome.end()).isEqualTo(End.TOKEN_LIMIT);
    assertThat(outcome.usage().total()).isEqualTo(45);
  }

  @Test
  void timeIsBoundedAlsoInTheMiddleOfARun() {
    FakeModel model = new FakeModel(prompt -> code("hang"));
    Outcome outcome =
        agent(model).budget(Budget.defaults().withTime(Duration.ofMillis(300))).build().run("x");
    assertThat(outcome.end()).isEqualTo(End.TIME_LIMIT);
    assertThat(outcome.time()).isLessThan(Duration.ofSeconds(30));
    assertThat(workspace.closed()).isTrue();
  }

  @Test
  void cancellingEndsARunAtOnce() throws Exception {
    try (AgentSession session = agent(new FakeModel(prompt -> code("hang"))).build().open()) {
      CompletableFuture<Outcome> outcome = CompletableFuture.supplyAsync(() -> session.ask("x"));
      workspace.awaitHanging();
      session.cancel();
      assertThat(outcome.get(30, TimeUnit.SECONDS).end()).isEqualTo(End.CANCELLED);
      assertThat(session.messages())
          .last()
          .as("every call has an answer")
          .isInstanceOf(Message.Results.class);
    }
  }

  @Test
  void anInterruptOfTheCallerCancels() throws Exception {
    CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    CodeAgent agent = agent(new FakeModel(prompt -> code("hang"))).build();
    Thread caller = Thread.ofVirtual().start(() -> outcome.complete(agent.run("x")));
    workspace.awaitHanging();
    caller.interrupt();
    assertThat(outcome.get(30, TimeUnit.SECONDS).end()).isEqualTo(End.CANCELLED);
    assertThat(workspace.closed()).isTrue();
  }

  @Test
  void overloadIsWaitedFor() {
    AtomicInteger calls = new AtomicInteger();
    FakeModel model =
        new FakeModel(
            prompt -> {
              if (calls.incrementAndGet() < 3) {
                throw ModelException.ofStatus(529, "overloaded", "0.001", null);
              }
              return text("at last");
            });
    assertThat(agent(model).build().run("x").answer()).isEqualTo("at last");
    assertThat(events).filteredOn(AgentEvent.Waiting.class::isInstance).hasSize(2);
  }

  @Test
  void overloadThatLastsAndOtherFailuresEndTheTask() {
    FakeModel overloaded =
        new FakeModel(
            prompt -> {
              throw ModelException.ofStatus(429, "slow down", null, null);
            });
    Outcome outcome = agent(overloaded).build().run("x");
    assertThat(outcome.end()).isEqualTo(End.MODEL_FAILED);
    assertThat(outcome.message()).isEqualTo("slow down");
    assertThat(overloaded.prompts()).hasSize(3);
    FakeModel refused =
        new FakeModel(
            prompt -> {
              throw ModelException.ofStatus(401, "no such key", null, null);
            });
    assertThat(agent(refused).build().run("x").message()).isEqualTo("no such key");
    assertThat(refused.prompts()).hasSize(1);
    FakeModel broken =
        new FakeModel(
            prompt -> {
              throw new IllegalStateException("a bug");
            });
    assertThat(agent(broken).build().run("x").message()).contains("a bug");
  }

  @Test
  void aLostSandboxEndsTheTask() {
    ErrorBody gone = new ErrorBody(ErrorCode.SANDBOX_NOT_FOUND, "it has ended", null, "", Map.of());
    FakeModel model =
        new FakeModel(
            prompt -> {
              throw new AssertionError("not asked");
            });
    CodeAgent agent =
        CodeAgent.builder(model)
            .workspaces(
                () -> {
                  throw new SandboxNotFoundException(gone);
                })
            .build();
    assertThatThrownBy(() -> agent.run("x")).isInstanceOf(SandboxNotFoundException.class);
  }

  @Test
  void aReplyThatWasCutOffGoesOn() {
    Reply cut = new Reply("The answer is", List.of(), true, Usage.NONE, null);
    FakeModel model = FakeModel.saying(cut, text("forty-two"));
    assertThat(agent(model).build().run("x").answer()).isEqualTo("forty-two");
  }

  @Test
  void aHostileModelEndsInsideItsBudgetWithAReadableTranscript(@TempDir Path folder) {
    Path file = folder.resolve("transcript.jsonl");
    AtomicInteger count = new AtomicInteger();
    FakeModel model =
        new FakeModel(
            prompt ->
                switch (count.getAndIncrement() % 6) {
                  case 0 -> FakeModel.call("run_code", "this is { not JSON");
                  case 1 -> FakeModel.call("run_code", "{\"code\": {\"a\": 1}}");
                  case 2 ->
                      FakeModel.call("run_code", "{\"code\": \"" + "a".repeat(10_000_000) + "\"}");
                  case 3 -> FakeModel.call("format_disk", "{}");
                  case 4 -> FakeModel.call("", "");
                  default -> code("raise Again");
                });
    Outcome outcome =
        agent(model).budget(Budget.defaults().withSteps(24)).transcript(file).build().run("x");
    assertThat(outcome.end()).isEqualTo(End.STEP_LIMIT);
    assertThat(file.toFile().length()).isLessThan(200_000);
    String told = Transcript.read(file).text();
    assertThat(told)
        .contains(
            "not JSON", "must be a string", "10,000,012 characters", "no tool \"format_disk\"")
        .contains("== step limit after 24 steps");
    Prompt last = model.prompts().get(model.prompts().size() - 1);
    assertThat(last.toString())
        .contains("This very call has failed 3 times")
        .hasSizeLessThan(200_000);
  }

  @Test
  void aTranscriptIsSavedAndReplayed(@TempDir Path folder) {
    Path file = folder.resolve("transcript.jsonl");
    agent(FakeModel.saying(code("print a"), code("raise B"), text("done")))
        .transcript(file)
        .build()
        .run("go");
    Transcript transcript = Transcript.read(file);
    FakeWorkspace second = new FakeWorkspace();
    Outcome again =
        CodeAgent.builder(transcript.replay()).workspaces(() -> second).build().run("go");
    assertThat(again.answer()).isEqualTo("done");
    assertThat(second.ran()).containsExactly("print a", "raise B");
    Path copy = folder.resolve("copy.jsonl");
    transcript.save(copy);
    assertThat(Transcript.read(copy)).isEqualTo(transcript);
    assertThat(transcript.text()).contains("== task ==\ngo", "> run_code", "< run_code failed");
  }

  @Test
  void branchesTryWaysAtOnceAndTheBestIsKept() {
    FakeModel model =
        new FakeModel(
            prompt -> {
              List<Message> messages = prompt.messages();
              return messages.get(messages.size() - 1) instanceof Message.User user
                  ? code("set way " + user.text())
                  : text("tried");
            });
    try (AgentSession session = agent(model).build().open()) {
      session.ask("none");
      Scorer longest = (outcome, copy) -> ((FakeWorkspace) copy).variable("way").length();
      BranchOutcome branches =
          session.branch(3, branch -> List.of("aa", "aaaa", "a").get(branch - 1), longest);
      assertThat(branches.winner()).isEqualTo(2);
      assertThat(branches.scores()).containsExactly(2.0, 4.0, 1.0);
      assertThat(branches.best()).get().extracting(Outcome::answer).isEqualTo("tried");
      assertThat(workspace.variable("way")).isEqualTo("aaaa");
      assertThat(workspace.forks()).hasSize(3).allMatch(FakeWorkspace::closed);
      assertThat(session.messages()).hasSize(8).contains(new Message.User("aaaa"));
      assertThat(session.transcript().text()).contains("[2] == task ==", "went on as branch 2");
    }
  }

  @Test
  void withoutAnAnswerTheSessionStaysAsItWas() {
    FakeModel model =
        new FakeModel(
            prompt -> {
              throw ModelException.lasting("no", null);
            });
    try (AgentSession session = agent(model).build().open()) {
      BranchOutcome branches = session.branch(2, branch -> "go");
      assertThat(branches.winner()).isZero();
      assertThat(branches.best()).isEmpty();
      assertThat(session.messages()).isEmpty();
      assertThat(workspace.forks()).allMatch(FakeWorkspace::closed);
    }
  }

  @Test
  void branchesAreReplayed() {
    Model model =
        new FakeModel(
            prompt ->
                prompt.messages().size() == 1
                    ? code("set a " + ((Message.User) prompt.messages().get(0)).text())
                    : text("done"));
    Transcript transcript;
    try (AgentSession session = agent(model).build().open()) {
      session.branch(2, branch -> "way" + branch, (outcome, copy) -> outcome.steps());
      transcript = session.transcript();
    }
    FakeWorkspace second = new FakeWorkspace();
    try (AgentSession session =
        CodeAgent.builder(transcript.replay()).workspaces(() -> second).build().open()) {
      session.branch(2, branch -> "way" + branch);
    }
    assertThat(second.forks())
        .extracting(FakeWorkspace::ran)
        .containsExactly(List.of("set a way1"), List.of("set a way2"));
  }

  @Test
  void anAgentNeedsSandboxesAndKnownTools() {
    assertThatThrownBy(() -> CodeAgent.builder(new FakeModel(prompt -> text("x"))).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("sandboxes");
    Workspace own = workspace;
    CodeAgent agent =
        CodeAgent.builder(new FakeModel(prompt -> text("x")))
            .workspaces(() -> own)
            .tools("no_such_tool")
            .build();
    assertThatThrownBy(agent::open).hasMessageContaining("no_such_tool");
    assertThat(workspace.closed()).isTrue();
  }
}
