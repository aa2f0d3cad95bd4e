package dev.atoll.server.mcp;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds a JSON Schema of an object, field by field. */
final class Schema {
  private final Map<String, Object> properties = new LinkedHashMap<>();
  private final List<String> required = new ArrayList<>();

  /** A schema without fields. */
  static Schema object() {
    return new Schema();
  }

  Schema text(String name, String description) {
    return field(name, Map.of("type", "string", "description", description));
  }

  Schema number(String name, String description) {
    return field(name, Map.of("type", "number", "description", description));
  }

  Schema integer(String name, String description) {
    return field(name, Map.of("type", "integer", "description", description));
  }

  Schema flag(String name, String description) {
    return field(name, Map.of("type", "boolean", "description", description));
  }

  Schema choice(String name, String description, List<String> values) {
    return field(name, Map.of("type", "string", "description", description, "enum", values));
  }

  Schema texts(String name, String description) {
    return list(name, description, Map.of("type", "string"));
  }

  Schema list(String name, String description, Map<String, Object> items) {
    return field(name, Map.of("type", "array", "description", description, "items", items));
  }

  private Schema field(String name, Map<String, Object> schema) {
    properties.put(name, schema);
    return this;
  }

  /** Says which fields cannot be left out. */
  Schema requiring(String... names) {
    required.addAll(List.of(names));
    return this;
  }

  /** For arguments: those that can be left out can be null too, as strict modes of models want. */
  Map<String, Object> arguments() {
    properties.replaceAll(
        (name, field) ->
            required.contains(name) || !(field instanceof Map<?, ?> schema)
                ? field
                : orNull(schema));
    return build();
  }

  private static Map<Object, Object> orNull(Map<?, ?> schema) {
    Map<Object, Object> either = new LinkedHashMap<>(schema);
    either.put("type", List.of(String.valueOf(schema.get("type")), "null"));
    if (schema.get("enum") instanceof List<?> values) {
      List<@Nullable Object> more = new ArrayList<>(values);
      more.add(null);
      either.put("enum", more);
    }
    return either;
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
