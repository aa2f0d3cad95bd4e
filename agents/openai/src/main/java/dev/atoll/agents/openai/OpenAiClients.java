package dev.atoll.agents.openai;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.ObjectMappers;
import com.openai.errors.OpenAIException;
import com.openai.errors.OpenAIIoException;
import com.openai.errors.OpenAIServiceException;
import dev.atoll.agents.ModelException;
import dev.atoll.agents.ModelSettings;

/** What both APIs have in common: clients, their failures, and JSON as the library writes it. */
final class OpenAiClients {
  static final JsonMapper JSON = ObjectMappers.jsonMapper();

  private OpenAiClients() {}

  static OpenAIClient client(ModelSettings settings) {
    OpenAIOkHttpClient.Builder builder =
        OpenAIOkHttpClient.builder()
            .apiKey(settings.apiKey())
            .timeout(settings.timeout())
            // The loop waits itself, where it is heard and bounded.
            .maxRetries(0);
    if (settings.baseUrl() != null) {
      builder.baseUrl(settings.baseUrl());
    }
    return builder.build();
  }

  static ModelException failure(OpenAIException failure) {
    String message = "OpenAI: " + failure.getMessage();
    return switch (failure) {
      case OpenAIServiceException e ->
          ModelException.ofStatus(
              e.statusCode(),
              message,
              e.headers().values("Retry-After").stream().findFirst().orElse(null),
              e);
      case OpenAIIoException e -> ModelException.temporary(message, e);
      default -> ModelException.lasting(message, failure);
    };
  }
}
