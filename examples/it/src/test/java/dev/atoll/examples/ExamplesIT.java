package dev.atoll.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import dev.atoll.agents.Model;
import dev.atoll.agents.ModelSettings;
import dev.atoll.agents.Outcome;
import dev.atoll.agents.anthropic.AnthropicModel;
import dev.atoll.agents.openai.OpenAiChatModel;
import dev.atoll.agents.openai.OpenAiResponsesModel;
import dev.atoll.examples.scripted.ScriptedModel;
import dev.atoll.model.JudgeResult;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.SandboxOptions;
import dev.atoll.server.it.DemoPackages;
import dev.atoll.server.it.LocalInternet;
import dev.atoll.server.it.RealServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Every example in real sandboxes, with the real libraries, against a scripted model. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExamplesIT {
  private static final String HOST = "registry.test";
  private static final String INDEX = "http://" + HOST + "/simple/";

  private LocalInternet internet;
  private RealServer server;
  private ScriptedModel scripted;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    internet = new LocalInternet().named(HOST);
    DemoPackages.servePip(internet);
    server =
        new RealServer(
            RealServer.Surroundings.usual().withHosts(internet.hosts()),
            internet.reachable(),
            "--network.registries=" + INDEX);
    atoll = server.atoll();
    scripted = ScriptedModel.start(ExampleScripts.all());
  }

  @AfterAll
  void stop() throws IOException {
    scripted.close();
    server.close();
    internet.close();
  }

  @AfterEach
  void noSandboxIsLeft() {
    assertThat(atoll.sandboxes().list().stream()).isEmpty();
  }

  private AnthropicClient anthropic() {
    return AnthropicOkHttpClient.builder().apiKey("no-key").baseUrl(scripted.url()).build();
  }

  private OpenAIClient openAi() {
    return OpenAIOkHttpClient.builder().apiKey("no-key").baseUrl(scripted.openAiUrl()).build();
  }

  private Model claude() {
    return AnthropicModel.of(anthropic(), "scripted", 1000);
  }

  private Model gpt() {
    return OpenAiChatModel.of(ModelSettings.of("no-key", "scripted").at(scripted.openAiUrl()));
  }

  @Test
  void dataAnalystWithClaude() {
    assertThat(DataAnalystWithClaude.answer(atoll, anthropic(), "scripted"))
        .contains("18 15.5 13.49");
  }

  @Test
  void dataAnalystWithOpenAi() {
    assertThat(DataAnalystWithOpenAi.answer(atoll, openAi(), "scripted")).contains("best True");
  }

  @Test
  void functionToolAgent() {
    Model responses = OpenAiResponsesModel.of(openAi(), "scripted", 1000);
    assertThat(FunctionToolAgent.answer(atoll, responses)).contains("26.19%");
  }

  @Test
  void sandboxPerTask() {
    assertThat(SandboxPerTask.answers(atoll, claude())).containsExactly("832040", "False");
  }

  @Test
  void sandboxPerSession() {
    assertThat(SandboxPerSession.answers(atoll, claude())).containsExactly("Loaded.", "25");
  }

  @Test
  void streamingWithClaude() {
    List<String> shown = Collections.synchronizedList(new ArrayList<>());
    StreamingWithClaude.show(atoll, claude(), shown::add);
    assertThat(String.join("", shown))
        .isEqualTo("I count.\n[run_code]\nline 0\nline 1\nline 2\nDone.");
  }

  @Test
  void selfCorrectingAgent() {
    Outcome outcome = SelfCorrectingAgent.answer(atoll, gpt());
    assertThat(outcome.answer()).isEqualTo("Total revenue: 85.0");
    assertThat(outcome.failedCalls()).isEqualTo(1);
    assertThat(scripted.requests().stream().map(Object::toString))
        .as("the model reads the traceback")
        .anyMatch(request -> request.contains("KeyError: 'revenue'"));
  }

  @Test
  void installOnDemandAndFromASnapshot() {
    assertThat(InstallOnDemand.answer(atoll, gpt(), "reefdemo", ExamplesIT::registry))
        .isEqualTo("hello from pip");
    SnapshotInfo prepared = InstallOnDemand.prepare(atoll, "reefdemo", ExamplesIT::registry);
    assertThat(InstallOnDemand.answer(atoll, gpt(), "reefdemo", s -> s.snapshot(prepared.id())))
        .isEqualTo("hello from pip");
    atoll.snapshots().delete(prepared.id());
  }

  private static void registry(SandboxOptions options) {
    options.env("PIP_INDEX_URL", INDEX).env("PIP_TRUSTED_HOST", HOST);
  }

  @Test
  void warmPool() {
    String pool = atoll.pools().create(p -> p.template("python").warm(1).max(2)).id();
    try {
      assertThat(WarmPool.answer(atoll, claude(), pool)).isEqualTo("18446744073709551616");
    } finally {
      atoll.pools().delete(pool);
    }
  }

  @Test
  void lockedDownNetwork() {
    assertThat(LockedDownNetwork.attempt(atoll)).isEqualTo("refused");
  }

  @Test
  void treeOfThought() {
    assertThat(TreeOfThought.winner(atoll, claude())).isEqualTo("a linear trend");
  }

  @Test
  void multiLanguagePipeline() {
    assertThat(MultiLanguagePipeline.answer(atoll, gpt())).isEqualTo("{\"words\": [1, 2, 3]}");
  }

  @Test
  void autoGrader() {
    JudgeResult result = AutoGrader.grade(atoll, gpt());
    assertThat(result.accepted()).isTrue();
    assertThat(result.passed()).isEqualTo(3);
  }
}
