package dev.atoll.server.mcp;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Brings the SDK's messages to a client's stream. */
final class SinkTransport implements McpStreamableServerTransport {
  private static final String NO_TOOL = "Tool not found: ";

  private final McpJsonMapper json;
  private final MessageSink sink;
  private final @Nullable McpCall call;

  /**
   * A stream.
   *
   * @param call the request that it answers, if it is not one for all the rest
   */
  SinkTransport(McpJsonMapper json, MessageSink sink, @Nullable McpCall call) {
    this.json = json;
    this.sink = sink;
    this.call = call;
  }

  @Override
  public Mono<Void> sendMessage(McpSchema.JSONRPCMessage message) {
    return Mono.fromRunnable(() -> send(message));
  }

  @Override
  public Mono<Void> sendMessage(McpSchema.JSONRPCMessage message, String messageId) {
    return sendMessage(message);
  }

  private void send(McpSchema.JSONRPCMessage message) {
    if (call != null && call.cancelled()) {
      return;
    }
    String text;
    try {
      text = json.writeValueAsString(named(message));
    } catch (IOException e) {
      throw new UncheckedIOException("a message cannot be written as JSON", e);
    }
    try {
      sink.send(text);
    } catch (IOException e) {
      // A client that has gone does not mean that its request is cancelled; the protocol says so.
      McpSessions.log.debug("a client has gone before its answer", e);
    }
  }

  /** The SDK's message about an unknown tool has the name in its data alone. */
  private static McpSchema.JSONRPCMessage named(McpSchema.JSONRPCMessage message) {
    return message instanceof McpSchema.JSONRPCResponse answer
            && answer.error() != null
            && answer.error().data() instanceof String data
            && data.startsWith(NO_TOOL)
        ? McpErrors.unknownTool(answer.id(), data.substring(NO_TOOL.length()))
        : message;
  }

  @Override
  public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
    return json.convertValue(data, type);
  }

  @Override
  public Mono<Void> closeGracefully() {
    return Mono.empty();
  }

  @Override
  public void close() {}
}
