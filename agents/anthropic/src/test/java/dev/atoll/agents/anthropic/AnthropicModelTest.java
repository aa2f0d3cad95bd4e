package dev.atoll.agents.anthropic;

import static org.assertj.core.api.Assertions.assertThat;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.helpers.BetaRunnableTool;
import com.anthropic.models.beta.messages.BetaMessage;
import com.anthropic.models.beta.messages.ToolRunnerCreateParams;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.StopReason;
import dev.atoll.agents.AgentEvent;
import dev.atoll.agents.Budget;
import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.End;
import dev.atoll.agents.ModelSettings;
import dev.atoll.agents.Outcome;
import dev.atoll.agents.Patience;
import dev.atoll.agents.tools.FakeWorkspace;
import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.examples.scripted.AdapterScripts;
import dev.atoll.examples.scripted.ScriptedModel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** With Anthropic's real library, against a scripted model on loopback. */
class AnthropicModelTest {
  private final FakeWorkspace workspace = new FakeWorkspace();
  private final List<AgentEvent> events = new ArrayList<>();
  private ScriptedModel scripted;

  @BeforeEach
  void start() throws IOException {
    scripted = ScriptedModel.start(AdapterScripts.all(529));
  }

  @AfterEach
  void stop() {
    scripted.close();
  }

  private CodeAgent agent(int steps) {
    ModelSettings settings = ModelSettings.of("no-key", "scripted").at(scripted.url());
    return CodeAgent.builder(AnthropicModel.of(settings))
        .workspaces(() -> workspace)
        .budget(Budget.defaults().withSteps(steps).withTokens(100_000_000))
        .listener(events::add)
        .build();
  }

  @Test
  void theLoopStreamsTextCallsToolsAndWaitsForOverload() {
    Outcome outcome = agent(10).run("What is six times seven?");
    assertThat(outcome.answer()).isEqualTo("It is 42.");
    assertThat(outcome.usage().total()).isGreaterThan(200);
    assertThat(events).filteredOn(AgentEvent.Waiting.class::isInstance).hasSize(1);
    assertThat(events).filteredOn(AgentEvent.Text.class::isInstance).hasSizeGreaterThan(2);
    assertThat(scripted.requests().get(2).path("messages").get(1).path("content").get(1).toString())
        .contains("tool_use", "print 42");
    assertThat(scripted.requests().get(0).path("tools").get(0).path("input_schema").toString())
        .contains("\"additionalProperties\":false");
  }

  @Test
  void callsOfOneTurnRunAtOnce() {
    assertThat(agent(5).run("Do two things at once").answer()).isEqualTo("met");
  }

  @Test
  void aHostileModelEndsInsideItsBudget() {
    Outcome outcome = agent(9).run("You are hostile");
    assertThat(outcome.end()).isEqualTo(End.STEP_LIMIT);
    assertThat(outcome.failedCalls()).isEqualTo(8);
    assertThat(scripted.requests().getLast().toString()).hasSizeLessThan(100_000);
  }

  @Test
  void withoutAServerTheEndSaysSo() {
    scripted.close();
    ModelSettings settings = ModelSettings.of("no-key", "scripted").at(scripted.url());
    Outcome outcome =
        CodeAgent.builder(AnthropicModel.of(settings))
            .workspaces(() -> workspace)
            .patience(new Patience(2, Duration.ofMillis(1), Duration.ofMillis(1)))
            .build()
            .run("x");
    assertThat(outcome.end()).isEqualTo(End.MODEL_FAILED);
    assertThat(outcome.message()).startsWith("Anthropic: ");
  }

  @Test
  void aLoopOfOnesOwnNeedsThreeLines() {
    AnthropicClient client =
        AnthropicOkHttpClient.builder().apiKey("no-key").baseUrl(scripted.url()).build();
    AnthropicTools tools = AnthropicTools.of(SandboxTools.of(workspace));
    MessageCreateParams.Builder params =
        MessageCreateParams.builder()
            .model("scripted")
            .maxTokens(1000)
            .tools(tools.definitions())
            .addUserMessage("What is six times seven?");
    Message reply = client.messages().create(params.build());
    while (reply.stopReason().filter(StopReason.TOOL_USE::equals).isPresent()) {
      reply =
          client
              .messages()
              .create(params.addMessage(reply).addMessage(tools.results(reply)).build());
    }
    assertThat(reply.content().get(0).asText().text()).isEqualTo("It is 42.");
  }

  @Test
  void theLibrarysOwnToolRunnerUsesTheTools() {
    AnthropicClient client =
        AnthropicOkHttpClient.builder().apiKey("no-key").baseUrl(scripted.url()).build();
    com.anthropic.models.beta.messages.MessageCreateParams.Builder params =
        com.anthropic.models.beta.messages.MessageCreateParams.builder()
            .model("scripted")
            .maxTokens(1000)
            .addUserMessage("What is six times seven?");
    for (BetaRunnableTool tool : AnthropicTools.of(SandboxTools.of(workspace)).runnable()) {
      params.addTool(tool);
    }
    List<BetaMessage> messages = new ArrayList<>();
    ToolRunnerCreateParams runner =
        ToolRunnerCreateParams.builder()
            .initialMessageParams(params.build())
            // The script wants to be sent the whole conversation.
            .thread(false)
            .build();
    client.beta().messages().toolRunner(runner).forEach(messages::add);
    assertThat(messages.getLast().content().get(0).asText().text()).isEqualTo("It is 42.");
  }

  @Test
  void theEnvironmentDecides() {
    assertThat(AnthropicModel.ofEnvironment(Map.of())).isEmpty();
    assertThat(AnthropicModel.ofEnvironment(Map.of("ANTHROPIC_API_KEY", "k"))).isPresent();
  }
}
