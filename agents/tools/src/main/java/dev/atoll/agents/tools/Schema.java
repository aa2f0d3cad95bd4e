package dev.atoll.agents.tools;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON Schema of a tool's arguments in the making. */
final class Schema {
  private final Map<String, Object> properties = new LinkedHashMap<>();
  private final List<String> required = new ArrayList<>();

  Schema required(String name, Map<String, Object> type, String description) {
    required.add(name);
    return optional(name, type, description);
  }

  Schema optional(String name, Map<String, Object> type, String description) {
    Map<String, Object> property = new LinkedHashMap<>(type);
    property.put("description", description);
    properties.put(name, property);
    return this;
  }

  static Map<String, Object> string() {
    return Map.of("type", "string");
  }

  static Map<String, Object> bool() {
    return Map.of("type", "boolean");
  }

  static Map<String, Object> oneOf(List<String> values) {
    return values.isEmpty() ? string() : Map.of("type", "string", "enum", values);
  }

  static Map<String, Object> integer(int minimum, int maximum) {
    return Map.of("type", "integer", "minimum", minimum, "maximum", maximum);
  }

  static Map<String, Object> strings(int minimum, int maximum) {
    return Map.of("type", "array", "items", string(), "minItems", minimum, "maxItems", maximum);
  }

  Map<String, Object> build() {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", "object");
    schema.put("properties", properties);
    schema.put("required", required);
    schema.put("additionalProperties", false);
    return schema;
  }
}
