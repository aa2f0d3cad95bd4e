package dev.atoll.agents.openai;

import com.openai.client.OpenAIClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIException;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import dev.atoll.agents.Model;
import dev.atoll.agents.ModelSettings;
import dev.atoll.agents.Prompt;
import dev.atoll.agents.Reply;
import dev.atoll.agents.Usage;
import dev.atoll.agents.tools.ToolCall;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A model by chat completions, streamed; also those of other providers that speak like OpenAI, by
 * {@code OPENAI_BASE_URL}.
 */
public final class OpenAiChatModel implements Model {
  /** The model, unless {@code OPENAI_MODEL} names another. */
  public static final String DEFAULT_MODEL = "gpt-5.1";

  private final OpenAIClient client;
  private final String model;
  private final int maxTokens;

  private OpenAiChatModel(OpenAIClient client, String model, int maxTokens) {
    this.client = client;
    this.model = model;
    this.maxTokens = maxTokens;
  }

  /** A model with a client that is there already. */
  public static OpenAiChatModel of(OpenAIClient client, String model, int maxTokens) {
    return new OpenAiChatModel(client, model, maxTokens);
  }

  /** A model with a client of its own. */
  public static OpenAiChatModel of(ModelSettings settings) {
    return of(OpenAiClients.client(settings), settings.model(), settings.maxTokens());
  }

  /** What {@code OPENAI_API_KEY} and its like say; empty without a key. */
  public static Optional<OpenAiChatModel> ofEnvironment(Map<String, String> environment) {
    return ModelSettings.ofEnvironment(environment, "OPENAI", DEFAULT_MODEL)
        .map(OpenAiChatModel::of);
  }

  @Override
  public Reply reply(Prompt prompt, Consumer<String> text) {
    Assembly assembly = new Assembly(text);
    try (StreamResponse<ChatCompletionChunk> chunks =
        client.chat().completions().createStreaming(params(prompt))) {
      chunks.stream().forEach(assembly::add);
      return assembly.reply();
    } catch (OpenAIException e) {
      throw OpenAiClients.failure(e);
    }
  }

  private ChatCompletionCreateParams params(Prompt prompt) {
    ChatCompletionCreateParams.Builder builder =
        ChatCompletionCreateParams.builder()
            .model(model)
            .maxCompletionTokens(maxTokens)
            .streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build())
            .addSystemMessage(prompt.instructions());
    if (!prompt.tools().isEmpty()) {
      builder.tools(ChatFormat.tools(prompt.tools()));
    }
    prompt.messages().forEach(message -> ChatFormat.messages(message).forEach(builder::addMessage));
    return builder.build();
  }

  /** Puts a streamed reply together. */
  private static final class Assembly {
    private final Consumer<String> listener;
    private final StringBuilder text = new StringBuilder();
    private final Map<Long, Pieces> calls = new TreeMap<>();
    private Usage usage = Usage.NONE;
    private boolean cutOff;

    Assembly(Consumer<String> listener) {
      this.listener = listener;
    }

    /** A call whose arguments come piece by piece. */
    private static final class Pieces {
      private String id = "";
      private String name = "";
      private final StringBuilder arguments = new StringBuilder();

      ToolCall call() {
        return new ToolCall(id, name, arguments.toString());
      }
    }

    void add(ChatCompletionChunk chunk) {
      chunk
          .usage()
          .ifPresent(used -> usage = new Usage(used.promptTokens(), used.completionTokens()));
      for (ChatCompletionChunk.Choice choice : chunk.choices()) {
        cutOff |=
            choice
                .finishReason()
                .filter(ChatCompletionChunk.Choice.FinishReason.LENGTH::equals)
                .isPresent();
        choice.delta().content().filter(piece -> !piece.isEmpty()).ifPresent(this::add);
        choice.delta().toolCalls().orElse(List.of()).forEach(this::add);
      }
    }

    private void add(String piece) {
      text.append(piece);
      listener.accept(piece);
    }

    private void add(ChatCompletionChunk.Choice.Delta.ToolCall piece) {
      Pieces pieces = calls.computeIfAbsent(piece.index(), index -> new Pieces());
      piece.id().ifPresent(id -> pieces.id = id);
      piece
          .function()
          .ifPresent(
              function -> {
                function.name().ifPresent(name -> pieces.name += name);
                function.arguments().ifPresent(pieces.arguments::append);
              });
    }

    Reply reply() {
      List<ToolCall> whole = calls.values().stream().map(Pieces::call).toList();
      return new Reply(text.toString(), whole, cutOff, usage, null);
    }
  }
}
