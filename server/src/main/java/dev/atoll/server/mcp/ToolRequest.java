package dev.atoll.server.mcp;

import dev.atoll.engine.Engine;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A call of a tool, as the tool sees it. Its arguments have passed the tool's schema. */
final class ToolRequest {
  private final Engine engine;
  private final McpSyncServerExchange exchange;
  private final McpCall call;
  private final Map<String, Object> arguments;
  private final @Nullable Object progressToken;
  private int told;

  ToolRequest(Engine engine, McpSyncServerExchange exchange, McpSchema.CallToolRequest request) {
    this.engine = engine;
    this.exchange = exchange;
    this.call = (McpCall) exchange.transportContext().get(McpSession.CALL);
    this.arguments = request.arguments() == null ? Map.of() : request.arguments();
    this.progressToken = request.meta() == null ? null : request.meta().get("progressToken");
  }

  Engine engine() {
    return engine;
  }

  McpCall call() {
    return call;
  }

  String project() {
    return call.session().project();
  }

  SessionSandboxes sandboxes() {
    return call.session().sandboxes();
  }

  /** The sandbox that the call is for: the one it names, or the session's. */
  String sandbox() {
    String named = text("sandbox");
    return named == null ? sandboxes().current() : named;
  }

  @Nullable String text(String name) {
    return (String) arguments.get(name);
  }

  String required(String name) {
    String value = text(name);
    if (value == null) {
      throw new AtollException(ErrorCode.INVALID_ARGUMENT, name + " must be given");
    }
    return value;
  }

  boolean flag(String name) {
    return Boolean.TRUE.equals(arguments.get(name));
  }

  @Nullable Double number(String name) {
    return arguments.get(name) instanceof Number value ? value.doubleValue() : null;
  }

  @Nullable Integer integer(String name) {
    return arguments.get(name) instanceof Number value ? Math.toIntExact(value.longValue()) : null;
  }

  long integer(String name, long byDefault) {
    return arguments.get(name) instanceof Number value ? value.longValue() : byDefault;
  }

  List<String> texts(String name) {
    return arguments.get(name) instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : List.of();
  }

  /** A list of objects. */
  List<Map<?, ?>> objects(String name) {
    return arguments.get(name) instanceof List<?> list
        ? list.stream().<Map<?, ?>>map(one -> (Map<?, ?>) Objects.requireNonNull(one)).toList()
        : List.of();
  }

  boolean wantsProgress() {
    return progressToken != null;
  }

  /** Tells the client what is going on, if it wants to know. */
  void progress(String message) {
    if (progressToken != null) {
      told++;
      exchange.progressNotification(
          McpSchema.ProgressNotification.builder(progressToken, told).message(message).build());
    }
  }
}
