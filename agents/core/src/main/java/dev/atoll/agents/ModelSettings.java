package dev.atoll.agents;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a provider of models is reached; the same for all of them.
 *
 * @param baseUrl null for the provider's own
 * @param maxTokens of one reply
 * @param timeout of one reply
 */
public record ModelSettings(
    String apiKey, @Nullable String baseUrl, String model, int maxTokens, Duration timeout) {
  private static final int MAX_TOKENS = 8192;
  private static final Duration TIMEOUT = Duration.ofMinutes(10);

  /** Checks the ranges. */
  public ModelSettings {
    if (apiKey.isBlank() || model.isBlank() || maxTokens < 1) {
      throw new IllegalArgumentException("a model needs a key, a name, and room for a reply");
    }
  }

  /** A model by key and name, with the provider's own address. */
  public static ModelSettings of(String apiKey, String model) {
    return new ModelSettings(apiKey, null, model, MAX_TOKENS, TIMEOUT);
  }

  /**
   * What variables such as {@code ANTHROPIC_API_KEY}, {@code ANTHROPIC_BASE_URL} and {@code
   * ANTHROPIC_MODEL} say; empty without a key.
   *
   * @param prefix of the variables
   * @param defaultModel if the environment names none
   */
  public static Optional<ModelSettings> ofEnvironment(
      Map<String, String> environment, String prefix, String defaultModel) {
    String key = environment.getOrDefault(prefix + "_API_KEY", "");
    if (key.isBlank()) {
      return Optional.empty();
    }
    String url = environment.getOrDefault(prefix + "_BASE_URL", "");
    ModelSettings settings = of(key, environment.getOrDefault(prefix + "_MODEL", defaultModel));
    return Optional.of(url.isBlank() ? settings : settings.at(url));
  }

  /** The same at another address. */
  public ModelSettings at(String url) {
    return new ModelSettings(apiKey, url, model, maxTokens, timeout);
  }

  /** The same with other room for a reply. */
  public ModelSettings withMaxTokens(int count) {
    return new ModelSettings(apiKey, baseUrl, model, count, timeout);
  }

  /** Never with the key, which must not get into logs. */
  @Override
  public String toString() {
    return model + (baseUrl == null ? "" : " at " + baseUrl);
  }
}
