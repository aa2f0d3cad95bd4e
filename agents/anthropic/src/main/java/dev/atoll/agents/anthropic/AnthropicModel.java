package dev.atoll.agents.anthropic;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.http.StreamResponse;
import com.anthropic.errors.AnthropicException;
import com.anthropic.errors.AnthropicIoException;
import com.anthropic.errors.AnthropicServiceException;
import com.anthropic.errors.SseException;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.RawMessageStreamEvent;
import dev.atoll.agents.Model;
import dev.atoll.agents.ModelException;
import dev.atoll.agents.ModelSettings;
import dev.atoll.agents.Prompt;
import dev.atoll.agents.Reply;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** A model of Anthropic, by the Messages API, streamed. */
public final class AnthropicModel implements Model {
  /** The model, unless {@code ANTHROPIC_MODEL} names another. */
  public static final String DEFAULT_MODEL = "claude-sonnet-4-5";

  private static final int OVERLOADED = 529;

  private final AnthropicClient client;
  private final String model;
  private final int maxTokens;

  private AnthropicModel(AnthropicClient client, String model, int maxTokens) {
    this.client = client;
    this.model = model;
    this.maxTokens = maxTokens;
  }

  /** A model with a client that is there already. */
  public static AnthropicModel of(AnthropicClient client, String model, int maxTokens) {
    return new AnthropicModel(client, model, maxTokens);
  }

  /** A model with a client of its own. */
  public static AnthropicModel of(ModelSettings settings) {
    AnthropicOkHttpClient.Builder builder =
        AnthropicOkHttpClient.builder()
            .apiKey(settings.apiKey())
            .timeout(settings.timeout())
            // The loop waits itself, where it is heard and bounded.
            .maxRetries(0);
    if (settings.baseUrl() != null) {
      builder.baseUrl(settings.baseUrl());
    }
    return new AnthropicModel(builder.build(), settings.model(), settings.maxTokens());
  }

  /** What {@code ANTHROPIC_API_KEY} and its like say; empty without a key. */
  public static Optional<AnthropicModel> ofEnvironment(Map<String, String> environment) {
    return ModelSettings.ofEnvironment(environment, "ANTHROPIC", DEFAULT_MODEL)
        .map(AnthropicModel::of);
  }

  @Override
  public Reply reply(Prompt prompt, Consumer<String> text) {
    ReplyAssembly assembly = new ReplyAssembly(text);
    try (StreamResponse<RawMessageStreamEvent> events =
        client.messages().createStreaming(params(prompt))) {
      events.stream().forEach(assembly::add);
      return assembly.reply();
    } catch (SseException e) {
      boolean overloaded = e.body().toString().contains("overloaded");
      throw ModelException.ofStatus(overloaded ? OVERLOADED : 500, told(e), null, e);
    } catch (AnthropicServiceException e) {
      String retryAfter = e.headers().values("Retry-After").stream().findFirst().orElse(null);
      throw ModelException.ofStatus(e.statusCode(), told(e), retryAfter, e);
    } catch (AnthropicIoException e) {
      throw ModelException.temporary(told(e), e);
    } catch (AnthropicException e) {
      throw ModelException.lasting(told(e), e);
    }
  }

  private MessageCreateParams params(Prompt prompt) {
    MessageCreateParams.Builder builder =
        MessageCreateParams.builder()
            .model(model)
            .maxTokens(maxTokens)
            .system(prompt.instructions())
            .tools(MessagesFormat.tools(prompt.tools()));
    prompt.messages().forEach(message -> builder.addMessage(MessagesFormat.message(message)));
    return builder.build();
  }

  private static String told(AnthropicException failure) {
    return "Anthropic: " + failure.getMessage();
  }
}
