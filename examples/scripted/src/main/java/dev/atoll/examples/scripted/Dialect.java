package dev.atoll.examples.scripted;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A wire format. */
interface Dialect {
  /** One event of a stream; without a name where the format has none. */
  record Event(@Nullable String name, Object data) {}

  /** The path of its requests. */
  String path();

  Heard hear(JsonNode request);

  /** The whole reply. */
  Object reply(Turn turn, String model, int number);

  /** The reply in pieces. */
  List<Event> stream(Turn turn, String model, int number);

  /** The body of an error. */
  default Object error(int status) {
    Map<String, @Nullable Object> error =
        Map.of(
            "type",
            status == 529 ? "overloaded_error" : "api_error",
            "message",
            "the script says " + status);
    return Map.of("type", "error", "error", error);
  }

  /** Text in the small pieces in which models send it. */
  static List<String> pieces(String text) {
    List<String> pieces = new ArrayList<>();
    int size = Math.max(12, text.length() / 200);
    for (int from = 0; from < text.length(); from += size) {
      pieces.add(text.substring(from, Math.min(text.length(), from + size)));
    }
    return pieces;
  }

  /** A JSON object in the order in which it is written here. */
  static Map<String, @Nullable Object> object(@Nullable Object... keysAndValues) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      object.put(String.valueOf(keysAndValues[i]), keysAndValues[i + 1]);
    }
    return object;
  }

  /** The text of a content that is a string or a list of parts with {@code text}. */
  static String text(JsonNode content) {
    if (content.isString()) {
      return content.asString();
    }
    StringBuilder text = new StringBuilder();
    for (JsonNode part : content) {
      if (part.path("text").isString()) {
        text.append(part.path("text").asString()).append('\n');
      }
    }
    return text.toString().strip();
  }

  /** About as many as a tokenizer would count. */
  static int tokens(Turn turn) {
    return 1
        + turn.text().length() / 4
        + turn.calls().stream().mapToInt(c -> c.arguments().length() / 4).sum();
  }
}
