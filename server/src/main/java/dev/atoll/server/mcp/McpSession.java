package dev.atoll.server.mcp;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.server.mcp.McpCall.Scope;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;

/** One client, its requests that are under way, and its sandboxes. Used by many threads. */
public final class McpSession {
  /** The key under which tools find their call in the SDK's context. */
  static final String CALL = "call";

  private static final String CANCELLED = "notifications/cancelled";

  private final String project;
  private final McpStreamableServerSession protocol;
  private final McpJsonMapper json;
  private final ToolArguments arguments;
  private final SessionSandboxes sandboxes;
  private final BudgetAccount memory;
  private final Map<Object, McpCall> calls = new ConcurrentHashMap<>();
  private int users;
  private long lastUsed = System.nanoTime();
  private volatile boolean ended;

  McpSession(
      String project,
      McpStreamableServerSession protocol,
      McpJsonMapper json,
      ToolArguments arguments,
      SessionSandboxes sandboxes,
      BudgetAccount memory) {
    this.memory = memory;
    this.project = project;
    this.protocol = protocol;
    this.json = json;
    this.arguments = arguments;
    this.sandboxes = sandboxes;
  }

  public String id() {
    return protocol.getId();
  }

  String project() {
    return project;
  }

  SessionSandboxes sandboxes() {
    return sandboxes;
  }

  /** Takes a notification of the client, or its answer to a request of ours. */
  public void accept(McpSchema.JSONRPCMessage message) {
    try (Scope _ = use()) {
      switch (message) {
        case McpSchema.JSONRPCNotification cancel when cancel.method().equals(CANCELLED) ->
            cancel(cancel);
        case McpSchema.JSONRPCNotification told -> await(protocol.accept(told), Map.of());
        case McpSchema.JSONRPCResponse answer -> await(protocol.accept(answer), Map.of());
        default -> throw new IllegalArgumentException("requests are answered");
      }
    }
  }

  /** Does what the client asks for; all that is said about it goes to the sink. */
  public void answer(McpSchema.JSONRPCRequest request, MessageSink sink) {
    McpCall call = new McpCall(this);
    try (Scope _ = use()) {
      calls.put(request.id(), call);
      await(
          protocol
              .responseStream(new SinkTransport(json, sink, call))
              .handle(arguments.tidy(request)),
          Map.of(CALL, call));
    } finally {
      calls.remove(request.id(), call);
    }
  }

  /** Sends everything that answers no request to the sink, until the scope is left. */
  public AutoCloseable listen(MessageSink sink) {
    Scope use = use();
    McpStreamableServerSession.McpStreamableServerSessionStream stream =
        protocol.listeningStream(new SinkTransport(json, sink, null));
    return () -> {
      stream.close();
      use.close();
    };
  }

  private void cancel(McpSchema.JSONRPCNotification notification) {
    Object id = notification.params() instanceof Map<?, ?> map ? map.get("requestId") : null;
    McpCall call = id == null ? null : calls.get(id);
    if (call != null) {
      call.cancel();
    }
  }

  private static void await(Mono<Void> work, Map<String, Object> context) {
    McpTransportContext transport = McpTransportContext.create(context);
    Void _ = work.contextWrite(c -> c.put(McpTransportContext.KEY, transport)).block();
  }

  private synchronized Scope use() {
    users++;
    return this::leave;
  }

  private synchronized void leave() {
    users--;
    lastUsed = System.nanoTime();
  }

  synchronized boolean idleFor(Duration time) {
    return users == 0 && System.nanoTime() - lastUsed > time.toNanos();
  }

  /** Whether it is over. */
  public boolean ended() {
    return ended;
  }

  /** Stops all that is under way, and ends the sandboxes. */
  void close() {
    memory.giveAll();
    ended = true;
    calls.values().forEach(McpCall::cancel);
    protocol.close();
    sandboxes.close();
  }
}
