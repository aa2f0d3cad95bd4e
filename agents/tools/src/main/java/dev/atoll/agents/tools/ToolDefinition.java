package dev.atoll.agents.tools;

import dev.atoll.model.Json;
import java.util.Map;

/**
 * A tool as a model is told of it.
 *
 * @param inputSchema JSON Schema of its arguments, an object
 */
public record ToolDefinition(String name, String description, Map<String, Object> inputSchema) {
  /** The schema as JSON. */
  public String inputSchemaJson() {
    return Json.lenient().writeValueAsString(inputSchema);
  }
}
