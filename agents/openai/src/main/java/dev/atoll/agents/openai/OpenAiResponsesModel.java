package dev.atoll.agents.openai;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.openai.client.OpenAIClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIException;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseIncludable;
import com.openai.models.responses.ResponseInputItem;
import com.openai.models.responses.ResponseStreamEvent;
import dev.atoll.agents.Model;
import dev.atoll.agents.ModelException;
import dev.atoll.agents.ModelSettings;
import dev.atoll.agents.Prompt;
import dev.atoll.agents.Reply;
import dev.atoll.agents.Usage;
import dev.atoll.agents.tools.ToolCall;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A model by OpenAI's Responses, streamed. Nothing is stored at OpenAI; reasoning is sent back. */
public final class OpenAiResponsesModel implements Model {
  private final OpenAIClient client;
  private final String model;
  private final int maxTokens;

  private OpenAiResponsesModel(OpenAIClient client, String model, int maxTokens) {
    this.client = client;
    this.model = model;
    this.maxTokens = maxTokens;
  }

  /** A model with a client that is there already. */
  public static OpenAiResponsesModel of(OpenAIClient client, String model, int maxTokens) {
    return new OpenAiResponsesModel(client, model, maxTokens);
  }

  /** A model with a client of its own. */
  public static OpenAiResponsesModel of(ModelSettings settings) {
    return of(OpenAiClients.client(settings), settings.model(), settings.maxTokens());
  }

  /** What {@code OPENAI_API_KEY} and its like say; empty without a key. */
  public static Optional<OpenAiResponsesModel> ofEnvironment(Map<String, String> environment) {
    return ModelSettings.ofEnvironment(environment, "OPENAI", OpenAiChatModel.DEFAULT_MODEL)
        .map(OpenAiResponsesModel::of);
  }

  @Override
  public Reply reply(Prompt prompt, Consumer<String> text) {
    AtomicReference<@Nullable Response> whole = new AtomicReference<>();
    try (StreamResponse<ResponseStreamEvent> events =
        client.responses().createStreaming(params(prompt))) {
      events.stream()
          .forEach(
              event -> {
                event.outputTextDelta().ifPresent(delta -> text.accept(delta.delta()));
                event.completed().ifPresent(last -> whole.set(last.response()));
                event.incomplete().ifPresent(last -> whole.set(last.response()));
                event.failed().ifPresent(last -> fail(last.response()));
              });
    } catch (OpenAIException e) {
      throw OpenAiClients.failure(e);
    }
    Response response = whole.get();
    if (response == null) {
      throw ModelException.temporary("OpenAI: the response broke off", null);
    }
    return reply(response);
  }

  private static void fail(Response response) {
    throw ModelException.temporary(
        "OpenAI: " + response.error().map(error -> error.message()).orElse("the response failed"),
        null);
  }

  private static Reply reply(Response response) {
    StringBuilder text = new StringBuilder();
    response.output().stream()
        .flatMap(item -> item.message().stream())
        .flatMap(message -> message.content().stream())
        .flatMap(content -> content.outputText().stream())
        .forEach(part -> text.append(part.text()));
    List<ToolCall> calls =
        response.output().stream()
            .flatMap(item -> item.functionCall().stream())
            .map(OpenAiTools::call)
            .toList();
    Usage usage =
        response
            .usage()
            .map(used -> new Usage(used.inputTokens(), used.outputTokens()))
            .orElse(Usage.NONE);
    boolean cutOff = response.incompleteDetails().isPresent();
    return new Reply(text.toString(), calls, cutOff, usage, raw(response));
  }

  private static @Nullable String raw(Response response) {
    try {
      return response.output().isEmpty()
          ? null
          : OpenAiClients.JSON.writeValueAsString(response.output());
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  private ResponseCreateParams params(Prompt prompt) {
    List<ResponseInputItem> input =
        prompt.messages().stream()
            .flatMap(message -> ResponsesFormat.items(message).stream())
            .toList();
    return ResponseCreateParams.builder()
        .model(model)
        .maxOutputTokens(maxTokens)
        .store(false)
        .addInclude(ResponseIncludable.REASONING_ENCRYPTED_CONTENT)
        .instructions(prompt.instructions())
        .tools(ResponsesFormat.tools(prompt.tools()))
        .inputOfResponse(input)
        .build();
  }
}
