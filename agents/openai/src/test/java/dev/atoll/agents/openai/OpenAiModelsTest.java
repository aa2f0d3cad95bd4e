package dev.atoll.agents.openai;

import static org.assertj.core.api.Assertions.assertThat;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessage;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseInputItem;
import dev.atoll.agents.AgentEvent;
import dev.atoll.agents.Budget;
import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.End;
import dev.atoll.agents.Model;
import dev.atoll.agents.ModelSettings;
import dev.atoll.agents.Outcome;
import dev.atoll.agents.tools.Content;
import dev.atoll.agents.tools.FakeWorkspace;
import dev.atoll.agents.tools.SandboxTools;
import dev.atoll.agents.tools.ToolResult;
import dev.atoll.examples.scripted.AdapterScripts;
import dev.atoll.examples.scripted.ScriptedModel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With OpenAI's real library, against a scripted model on loopback. */
class OpenAiModelsTest {
  private final FakeWorkspace workspace = new FakeWorkspace();
  private final List<AgentEvent> events = new ArrayList<>();
  private ScriptedModel scripted;

  @BeforeEach
  void start() throws IOException {
    scripted = ScriptedModel.start(AdapterScripts.all(429));
  }

  @AfterEach
  void stop() {
    scripted.close();
  }

  private Model model(String kind) {
    ModelSettings settings = ModelSettings.of("no-key", "scripted").at(scripted.openAiUrl());
    return kind.equals("chat") ? OpenAiChatModel.of(settings) : OpenAiResponsesModel.of(settings);
  }

  private CodeAgent agent(String kind, int steps) {
    return CodeAgent.builder(model(kind))
        .workspaces(() -> workspace)
        .budget(Budget.defaults().withSteps(steps).withTokens(100_000_000))
        .listener(events::add)
        .build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"chat", "responses"})
  void theLoopStreamsTextCallsToolsAndWaitsForOverload(String kind) {
    Outcome outcome = agent(kind, 10).run("What is six times seven?");
    assertThat(outcome.answer()).isEqualTo("It is 42.");
    assertThat(outcome.usage().total()).isGreaterThan(200);
    assertThat(events).filteredOn(AgentEvent.Waiting.class::isInstance).hasSize(1);
    assertThat(events).filteredOn(AgentEvent.Text.class::isInstance).hasSizeGreaterThan(2);
    assertThat(scripted.requests().getLast().toString()).contains("print 42", "call_1_0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"chat", "responses"})
  void callsOfOneTurnRunAtOnce(String kind) {
    assertThat(agent(kind, 5).run("Do two things at once").answer()).isEqualTo("met");
  }

  @ParameterizedTest
  @ValueSource(strings = {"chat", "responses"})
  void aHostileModelEndsInsideItsBudget(String kind) {
    Outcome outcome = agent(kind, 9).run("You are hostile");
    assertThat(outcome.end()).isEqualTo(End.STEP_LIMIT);
    assertThat(outcome.failedCalls()).isEqualTo(8);
    assertThat(scripted.requests().getLast().toString()).hasSizeLessThan(100_000);
  }

  @Test
  void aLoopOfOnesOwnWithChatCompletions() {
    OpenAIClient client = client();
    OpenAiTools tools = OpenAiTools.of(SandboxTools.of(workspace));
    ChatCompletionCreateParams.Builder params =
        ChatCompletionCreateParams.builder()
            .model("scripted")
            .tools(tools.chatTools())
            .addUserMessage("What is six times seven?");
    ChatCompletionMessage message = ask(client, params);
    while (message.toolCalls().isPresent()) {
      params.addMessage(message);
      tools.chatAnswers(message).forEach(params::addMessage);
      message = ask(client, params);
    }
    assertThat(message.content()).contains("It is 42.");
  }

  private static ChatCompletionMessage ask(
      OpenAIClient client, ChatCompletionCreateParams.Builder params) {
    return client.chat().completions().create(params.build()).choices().get(0).message();
  }

  @Test
  void aLoopOfOnesOwnWithResponses() {
    OpenAIClient client = client();
    OpenAiTools tools = OpenAiTools.of(SandboxTools.of(workspace));
    List<ResponseInputItem> input = new ArrayList<>();
    input.addAll(
        ResponsesFormat.items(new dev.atoll.agents.Message.User("What is six times seven?")));
    Response response = ask(client, tools, input);
    while (OpenAiTools.hasCalls(response)) {
      response.output().stream()
          .flatMap(item -> item.functionCall().stream())
          .map(ResponseInputItem::ofFunctionCall)
          .forEach(input::add);
      input.addAll(tools.responseOutputs(response));
      response = ask(client, tools, input);
    }
    assertThat(response.output().get(0).asMessage().content().get(0).asOutputText().text())
        .isEqualTo("It is 42.");
  }

  private static Response ask(
      OpenAIClient client, OpenAiTools tools, List<ResponseInputItem> input) {
    return client
        .responses()
        .create(
            ResponseCreateParams.builder()
                .model("scripted")
                .tools(tools.responseTools())
                .inputOfResponse(input)
                .build());
  }

  private OpenAIClient client() {
    return OpenAIOkHttpClient.builder().apiKey("no-key").baseUrl(scripted.openAiUrl()).build();
  }

  @Test
  void imagesFollowAsAMessageOfTheUser() {
    ToolResult image =
        new ToolResult(List.of(Content.Image.of("image/png", new byte[] {1})), false);
    assertThat(ChatFormat.answers(List.of("a"), List.of(image))).hasSize(2);
    assertThat(ResponsesFormat.output("a", image).toString())
        .contains("data:image/png;base64,AQ==");
  }

  @Test
  void theEnvironmentDecides() {
    assertThat(OpenAiChatModel.ofEnvironment(Map.of())).isEmpty();
    assertThat(OpenAiChatModel.ofEnvironment(Map.of("OPENAI_API_KEY", "k"))).isPresent();
    assertThat(OpenAiResponsesModel.ofEnvironment(Map.of("OPENAI_API_KEY", "k"))).isPresent();
  }
}
