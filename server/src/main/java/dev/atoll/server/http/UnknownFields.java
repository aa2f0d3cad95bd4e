package dev.atoll.server.http;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.NearestName;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Finds the field that a record does not have.
 *
 * <p>The parser builds a record before it reports what was left over, so a misspelt field would be
 * reported as a missing one. This looks again, but only at bodies that were refused.
 */
final class UnknownFields {
  private UnknownFields() {}

  static Optional<AtollException> find(JsonNode body, Class<?> type) {
    return find(body, type, "");
  }

  private static Optional<AtollException> find(JsonNode node, Class<?> type, String prefix) {
    Map<String, Class<?>> known = new LinkedHashMap<>();
    for (RecordComponent component : type.getRecordComponents()) {
      known.put(component.getName(), component.getType());
    }
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      Class<?> inner = known.get(field.getKey());
      if (inner == null) {
        return Optional.of(unknown(prefix, field.getKey(), known));
      }
      if (inner.isRecord()) {
        Optional<AtollException> found =
            find(field.getValue(), inner, prefix + field.getKey() + ".");
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private static AtollException unknown(String prefix, String name, Map<String, ?> known) {
    String path = prefix + JsonErrors.shorten(name);
    return new AtollException(
        ErrorCode.UNKNOWN_FIELD,
        "there is no field \"" + path + "\"",
        NearestName.hint(name, known.keySet()),
        Map.of("field", path),
        null);
  }
}
