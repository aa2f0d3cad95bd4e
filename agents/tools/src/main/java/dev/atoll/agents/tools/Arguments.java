package dev.atoll.agents.tools;

import dev.atoll.model.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * The arguments of a call, as a model wrote them: anything at all. What is not as it should be is
 * an {@link Unusable}, whose message is for the model.
 */
final class Arguments {
  /** More than any call needs; a call beyond it is not even parsed. */
  static final int MAX_CHARACTERS = 1 << 20;

  private static final int SHOWN = 200;

  private final JsonNode object;

  private Arguments(JsonNode object) {
    this.object = object;
  }

  /** Arguments that cannot be used, and what to do about it. */
  static final class Unusable extends RuntimeException {
    Unusable(String message) {
      super(message);
    }
  }

  static Arguments parse(String json) {
    if (json.length() > MAX_CHARACTERS) {
      throw new Unusable(
          "The arguments are %,d characters long, at most %,d are taken. Write large files in pieces, with write_file and append."
              .formatted(json.length(), MAX_CHARACTERS));
    }
    JsonNode node = tree(json.isBlank() ? "{}" : json);
    if (!node.isObject()) {
      throw new Unusable("The arguments must be a JSON object, but this came: " + shown(json));
    }
    return new Arguments(node);
  }

  private static JsonNode tree(String json) {
    try {
      return Json.lenient().readTree(json);
    } catch (JacksonException e) {
      throw new Unusable(
          "The arguments are not JSON (%s). This came: %s"
              .formatted(e.getOriginalMessage(), shown(json)));
    }
  }

  private static String shown(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
  }

  /** Refuses names that the tool does not have: a model that guesses should learn the right one. */
  Arguments knowing(Map<String, Object> schema) {
    if (schema.get("properties") instanceof Map<?, ?> properties) {
      for (String name : object.propertyNames()) {
        if (!properties.containsKey(name)) {
          throw new Unusable(
              "There is no argument \"%s\"; there is %s."
                  .formatted(shown(name), String.join(", ", names(properties))));
        }
      }
    }
    return this;
  }

  private static List<String> names(Map<?, ?> properties) {
    return properties.keySet().stream().map(String::valueOf).toList();
  }

  String text(String name) {
    String value = optionalText(name);
    if (value == null) {
      throw new Unusable("The argument \"" + name + "\" is missing.");
    }
    return value;
  }

  @Nullable String optionalText(String name) {
    JsonNode node = object.get(name);
    if (node == null || node.isNull()) {
      return null;
    }
    if (!node.isString()) {
      throw wrong(name, "a string", node);
    }
    return node.asString();
  }

  int integer(String name, int otherwise, int minimum, int maximum) {
    JsonNode node = object.get(name);
    if (node == null || node.isNull()) {
      return otherwise;
    }
    if (!node.isIntegralNumber() || !node.canConvertToInt()) {
      throw wrong(name, "an integer", node);
    }
    int value = node.asInt();
    if (value < minimum || value > maximum) {
      throw new Unusable(
          "The argument \"%s\" is %d; it must be between %d and %d."
              .formatted(name, value, minimum, maximum));
    }
    return value;
  }

  boolean flag(String name) {
    JsonNode node = object.get(name);
    if (node == null || node.isNull()) {
      return false;
    }
    if (!node.isBoolean()) {
      throw wrong(name, "true or false", node);
    }
    return node.asBoolean();
  }

  List<String> texts(String name, int minimum, int maximum) {
    JsonNode node = object.get(name);
    List<String> values = new ArrayList<>();
    if (node == null || !node.isArray()) {
      throw wrong(name, "a list of strings", node);
    }
    for (JsonNode one : node) {
      if (!one.isString()) {
        throw wrong(name, "a list of strings", node);
      }
      values.add(one.asString());
    }
    if (values.size() < minimum || values.size() > maximum) {
      throw new Unusable(
          "The argument \"%s\" has %d entries; %d to %d are taken."
              .formatted(name, values.size(), minimum, maximum));
    }
    return values;
  }

  private static Unusable wrong(String name, String wanted, @Nullable JsonNode came) {
    return new Unusable(
        "The argument \"%s\" must be %s, but this came: %s"
            .formatted(name, wanted, came == null ? "nothing" : shown(came.toString())));
  }
}
