package dev.atoll.agents.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.Json;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.sdk.CallInterruptedException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SandboxToolsTest {
  private final FakeWorkspace workspace = new FakeWorkspace();
  private final SandboxTools tools = SandboxTools.of(workspace);

  @Test
  void definitionsTellWhatModelsMustKnow() {
    assertThat(names(tools))
        .containsExactly(
            "run_code",
            "run_shell",
            "install_packages",
            "read_file",
            "write_file",
            "list_files",
            "fork",
            "merge",
            "rewind");
    ToolDefinition runCode = tools.definitions().get(0);
    assertThat(runCode.description())
        .contains("Python", "Print what you want to see", "State persists", "package registries");
    assertThat(tools.definitions())
        .allSatisfy(
            one -> {
              Map<?, ?> schema = Json.lenient().readValue(one.inputSchemaJson(), Map.class);
              assertThat(schema.get("type")).isEqualTo("object");
              assertThat(schema.get("additionalProperties")).isEqualTo(false);
              assertThat(one.description()).doesNotContain("%s").doesNotContain("  ");
            });
  }

  @Test
  void aSandboxWithoutNetworkOrStatesOffersNoSuchTools() {
    WorkspaceFacts closed =
        WorkspaceFacts.ofTemplate("node").withNetwork(NetworkPolicy.of(NetworkMode.NONE));
    SandboxTools few = SandboxTools.of(new FakeWorkspace(closed));
    assertThat(names(few)).doesNotContain("install_packages", "rewind");
    assertThat(few.definitions().get(0).description())
        .contains("Runs JavaScript", "There is no network.");
    assertThat(names(few.only("run_code"))).containsExactly("run_code");
    assertThat(few.only("run_code").call("run_shell", "{}").text())
        .contains("no tool \"run_shell\"");
  }

  @Test
  void rulesOfTheNetworkAreNamed() {
    NetworkPolicy policy = NetworkPolicy.of(NetworkMode.ALLOWLIST, "api.example.com");
    assertThat(WorkspaceFacts.ofTemplate("python").withNetwork(policy).networkSentence())
        .isEqualTo("Of the network only this can be reached: api.example.com.");
  }

  @Test
  void codeRunsAndItsOutputComesBack() {
    assertThat(tools.call("run_code", "{\"code\": \"print hello\"}"))
        .isEqualTo(ToolResult.text("hello"));
    assertThat(tools.call("run_code", "{\"code\": \"set a 1\"}").text())
        .contains("print what you want to see");
  }

  @Test
  void aTracebackIsAnErrorWithAdvice() {
    ToolResult result = tools.call("run_code", "{\"code\": \"raise NameError\"}");
    assertThat(result.error()).isTrue();
    assertThat(result.text())
        .contains("NameError: it went wrong", "Cell 1, line 1", "Variables and files are kept");
  }

  @Test
  void imagesAreImages() {
    byte[] png = {1, 2, 3};
    String base64 = Base64.getEncoder().encodeToString(png);
    ToolResult result =
        new RunReport(workspace, ToolLimits.defaults())
            .of(
                FakeRuns.of(
                    Map.of("status", "ok", "displays", List.of(Map.of("image/png", base64)))));
    assertThat(result.images()).containsExactly(new Content.Image("image/png", base64));
    assertThat(result.content()).hasSize(1);
  }

  @Test
  void longOutputLosesItsMiddleAndIsStoredWhole() {
    ToolResult result = tools.call("run_code", "{\"code\": \"write 100000\"}");
    assertThat(result.text())
        .hasSizeLessThan(17_000)
        .contains(
            "[… 84,000 characters left out here; the whole is in the file"
                + " /tmp/outputs/run_1.stdout");
    ToolResult stored =
        tools.call("read_file", "{\"path\": \"/tmp/outputs/run_1.stdout\", \"lines\": 1}");
    assertThat(stored.text()).contains("84,000 characters more");
  }

  @Test
  void aPairOfCharactersIsNeverSplit() {
    ToolLimits limits = new ToolLimits(201, Duration.ofSeconds(1), Duration.ofSeconds(1));
    String text = new RunReport(workspace, limits).shortened("😀".repeat(500), "/tmp/a");
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    assertThat(new String(bytes, StandardCharsets.UTF_8)).isEqualTo(text).doesNotContain("?");
  }

  @Test
  void filesAreWrittenReadAndListed() {
    tools.call("write_file", "{\"path\": \"a.txt\", \"content\": \"one\\ntwo\\nthree\\n\"}");
    tools.call("write_file", "{\"path\": \"a.txt\", \"content\": \"four\\n\", \"append\": true}");
    assertThat(tools.call("read_file", "{\"path\": \"a.txt\"}").text())
        .isEqualTo("one\ntwo\nthree\nfour\n");
    assertThat(
            tools
                .call("read_file", "{\"path\": \"a.txt\", \"first_line\": 2, \"lines\": 2}")
                .text())
        .isEqualTo("two\nthree");
    assertThat(tools.call("list_files", "").text()).isEqualTo("a.txt  19 bytes");
    assertThat(tools.call("read_file", "{\"path\": \"b.txt\"}"))
        .isEqualTo(ToolResult.failure("there is no file b.txt (list_files)"));
  }

  @Test
  void packagesAreInstalled() {
    assertThat(tools.call("install_packages", "{\"packages\": [\"pandas\"]}").text())
        .isEqualTo("Installed: pandas 1.0");
    assertThat(
            tools.call("install_packages", "{\"packages\": [\"x\"], \"manager\": \"nix\"}").error())
        .isTrue();
  }

  @Test
  void attemptsRunInCopiesAndOneIsKept() {
    tools.call("run_code", "{\"code\": \"set a start\"}");
    String attempts = "{\"attempts\": [\"set a one\", \"set a two\", \"raise Oops\"]}";
    ToolResult forked = tools.call("fork", attempts);
    assertThat(forked.error()).isFalse();
    assertThat(forked.text()).contains("[branch 1]", "[branch 3]", "Oops");
    assertThat(workspace.variable("a")).isEqualTo("start");
    assertThat(tools.call("merge", "{\"branch\": 4}").text()).contains("branches 1 to 3");
    assertThat(tools.call("merge", "{\"branch\": 2}").error()).isFalse();
    assertThat(workspace.variable("a")).isEqualTo("two");
    assertThat(workspace.forks()).allMatch(FakeWorkspace::closed);
    assertThat(tools.call("merge", "{\"branch\": 1}").text()).contains("call fork first");
  }

  @Test
  void closingEndsCopiesAndLeavesTheSandbox() {
    tools.call("fork", "{\"attempts\": [\"set a one\"]}");
    tools.close();
    assertThat(workspace.forks()).allMatch(FakeWorkspace::closed);
    assertThat(workspace.closed()).isFalse();
  }

  @Test
  void theSandboxGoesBack() {
    assertThat(tools.call("rewind", "{\"steps\": 2}").text()).contains("before the last 2 runs");
    assertThat(workspace.ran()).containsExactly("rewind 2");
    assertThat(tools.call("rewind", "{\"steps\": 11}").error()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "run_code|{\"code\": 7}|must be a string, but this came: 7",
        "run_code|{\"code\": [\"a\"]}|must be a string",
        "run_code|{}|\"code\" is missing",
        "run_code|{\"source\": \"x\"}|no argument \"source\"; there is code",
        "run_code|{\"code\": \"x\", \"timeout_seconds\": -1}|between 1 and 600",
        "run_code|{\"code\": \"x\", \"timeout_seconds\": 1e99}|must be an integer",
        "run_code|print(1)|not JSON",
        "run_code|[1, 2]|must be a JSON object",
        "run_code|null|must be a JSON object",
        "run_code|{\"code\": \"unfinished|not JSON",
        "install_packages|{\"packages\": \"pandas\"}|must be a list of strings",
        "install_packages|{\"packages\": []}|has 0 entries",
        "rm_rf|{}|no tool \"rm_rf\"; there is run_code"
      })
  void whateverAModelSendsIsAnsweredInWordsThatHelp(String tool, String json, String words) {
    ToolResult result = tools.call(tool, json);
    assertThat(result.error()).isTrue();
    assertThat(result.text()).contains(words);
    assertThat(workspace.ran()).isEmpty();
  }

  @Test
  void tenMegabytesOfCodeAreRefusedInOneLine() {
    String json = "{\"code\": \"" + "a".repeat(10_000_000) + "\"}";
    assertThat(tools.call("run_code", json).text())
        .contains("10,000,012 characters")
        .hasSizeLessThan(300);
    String deep = "[".repeat(500_000);
    assertThat(tools.call("run_code", deep).error()).isTrue();
  }

  @Test
  void callsOfOneTurnRunTogetherAndCodeInOrder() {
    List<ToolCall> calls =
        List.of(
            new ToolCall("1", "run_code", "{\"code\": \"set a 1\"}"),
            new ToolCall("2", "run_shell", "{\"command\": \"meet\"}"),
            new ToolCall("3", "run_shell", "{\"command\": \"meet\"}"),
            new ToolCall("4", "run_code", "{\"code\": \"get a\"}"));
    assertThat(tools.callAll(calls, CallListener.NONE))
        .extracting(ToolResult::text)
        .element(1)
        .isEqualTo("met");
    assertThat(workspace.ran().stream().filter(code -> code.endsWith("a") || code.endsWith("1")))
        .containsExactly("set a 1", "get a");
  }

  @Test
  void whatChangesTheWholeSandboxWaitsForWhatCameBefore() {
    List<ToolCall> calls =
        List.of(
            new ToolCall("1", "run_code", "{\"code\": \"set a 1\"}"),
            new ToolCall("2", "rewind", "{}"),
            new ToolCall("3", "run_code", "{\"code\": \"get a\"}"));
    assertThat(tools.callAll(calls, CallListener.NONE)).hasSize(3);
    assertThat(workspace.ran()).containsExactly("set a 1", "rewind 1", "get a");
  }

  @Test
  void listenersHearOutputWhileItComes() {
    List<String> heard = new CopyOnWriteArrayList<>();
    CallListener listener =
        new CallListener() {
          @Override
          public void started(ToolCall call) {
            heard.add("started " + call.id());
          }

          @Override
          public void output(ToolCall call, OutputListener.Stream stream, String text) {
            heard.add(stream + " " + text);
          }

          @Override
          public void ended(ToolCall call, ToolResult result) {
            heard.add("ended " + result.text());
          }
        };
    tools.call(new ToolCall("7", "run_code", "{\"code\": \"print hi\"}"), listener);
    assertThat(heard).containsExactly("started 7", "STDOUT hi\n", "ended hi");
  }

  @Test
  void anInterruptEndsAllCalls() throws InterruptedException {
    AtomicReference<Throwable> seen = new AtomicReference<>();
    List<ToolCall> calls = List.of(new ToolCall("1", "run_code", "{\"code\": \"hang\"}"));
    Thread thread =
        Thread.ofVirtual()
            .start(
                () ->
                    assertThatThrownBy(() -> tools.callAll(calls, CallListener.NONE))
                        .satisfies(seen::set));
    workspace.awaitHanging();
    thread.interrupt();
    thread.join(Duration.ofSeconds(30));
    assertThat(seen.get()).isInstanceOf(CallInterruptedException.class);
  }

  private static List<String> names(SandboxTools tools) {
    return tools.definitions().stream().map(ToolDefinition::name).toList();
  }
}
