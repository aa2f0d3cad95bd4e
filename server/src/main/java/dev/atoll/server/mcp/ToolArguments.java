package dev.atoll.server.mcp;

import io.modelcontextprotocol.spec.McpSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes what models say for nothing as nothing: in the strict mode of some providers they have to
 * give every field, and give null, an empty text or zero for those that they would leave out.
 */
final class ToolArguments {
  private final Map<String, Tool> tools;

  ToolArguments(Map<String, Tool> tools) {
    this.tools = tools;
  }

  /** The request without optional arguments that say nothing; other requests as they are. */
  McpSchema.JSONRPCRequest tidy(McpSchema.JSONRPCRequest request) {
    if (!request.method().equals(McpSchema.METHOD_TOOLS_CALL)
        || !(request.params() instanceof Map<?, ?> params)
        || !(params.get("arguments") instanceof Map<?, ?> arguments)
        || !(params.get("name") instanceof String name)) {
      return request;
    }
    Tool tool = tools.get(name);
    if (tool == null) {
      return request;
    }
    Map<Object, @Nullable Object> tidied = new LinkedHashMap<>(params);
    tidied.put("arguments", tidy(arguments, tool.input()));
    return new McpSchema.JSONRPCRequest(request.jsonrpc(), request.method(), request.id(), tidied);
  }

  private static Map<Object, @Nullable Object> tidy(Map<?, ?> object, Map<?, ?> schema) {
    Map<Object, @Nullable Object> kept = new LinkedHashMap<>();
    object.forEach(
        (name, value) -> {
          Object field = schema.get("properties") instanceof Map<?, ?> all ? all.get(name) : null;
          boolean optional =
              field != null && schema.get("required") instanceof List<?> l && !l.contains(name);
          if (!optional || !saysNothing(value)) {
            kept.put(name, value instanceof List<?> list ? tidy(list, field) : value);
          }
        });
    return kept;
  }

  private static List<?> tidy(List<?> list, @Nullable Object field) {
    return field instanceof Map<?, ?> schema && schema.get("items") instanceof Map<?, ?> items
        ? list.stream()
            .map(one -> one instanceof Map<?, ?> object ? tidy(object, items) : one)
            .toList()
        : list;
  }

  private static boolean saysNothing(@Nullable Object value) {
    return value == null
        || (value instanceof String text && text.isEmpty())
        || (value instanceof Number number && number.doubleValue() == 0);
  }
}
