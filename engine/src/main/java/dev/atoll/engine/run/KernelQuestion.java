package dev.atoll.engine.run;

import dev.atoll.model.Json;
import dev.atoll.model.RunEvent;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * What a kernel asks, or that it does not wait for the answer any more.
 *
 * @param number by which kernel and host know it
 */
record KernelQuestion(int number, String prompt, boolean password, boolean over) {
  /** More than a kernel of ours sends. */
  private static final int MOST_PROMPT = 4096;

  private static final int MOST_JSON = 64 << 10;

  /** Reads what a kernel sent, trusting none of it; empty when it makes no sense. */
  static Optional<KernelQuestion> parse(byte[] json) {
    if (json.length > MOST_JSON) {
      return Optional.empty();
    }
    try (JsonParser parser = Json.lenient().createParser(json)) {
      return read(parser);
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  private static Optional<KernelQuestion> read(JsonParser parser) {
    int number = 0;
    String prompt = "";
    boolean password = false;
    boolean over = false;
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      return Optional.empty();
    }
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = parser.currentName();
      JsonToken token = parser.nextToken();
      switch (field) {
        case "number" -> number = parser.getValueAsInt(0);
        case "prompt" -> prompt = token == JsonToken.VALUE_STRING ? parser.getString() : "";
        case "password" -> password = token == JsonToken.VALUE_TRUE;
        case "over" -> over = token == JsonToken.VALUE_TRUE;
        default -> {}
      }
      parser.skipChildren();
    }
    return number <= 0
        ? Optional.empty()
        : Optional.of(new KernelQuestion(number, cut(prompt), password, over));
  }

  /** The end of a prompt is what is asked. */
  private static String cut(String prompt) {
    return prompt.length() <= MOST_PROMPT
        ? prompt
        : "…" + prompt.substring(prompt.length() - MOST_PROMPT);
  }

  /** The id that its answer names. */
  String id() {
    return "q" + number;
  }

  RunEvent.InputRequest event() {
    return new RunEvent.InputRequest(id(), prompt, password ? true : null);
  }
}
