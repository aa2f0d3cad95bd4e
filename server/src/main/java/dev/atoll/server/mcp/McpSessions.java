package dev.atoll.server.mcp;

import dev.atoll.engine.budget.BudgetAccount;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import io.modelcontextprotocol.spec.McpStreamableServerTransportProvider;
import io.modelcontextprotocol.spec.ProtocolVersions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * All sessions: the SDK's transport, whichever way messages come. A session belongs to the project
 * of the key that began it; with another key it does not exist. One that nobody uses is ended.
 */
public final class McpSessions implements McpStreamableServerTransportProvider {
  static final Logger log = LoggerFactory.getLogger(McpSessions.class);

  /** What a session takes besides what its client says of itself. */
  private static final long SESSION_COST = 64 << 10;

  private final McpJsonMapper json;
  private final McpSettings settings;
  private final ToolArguments arguments;
  private final Function<String, SessionSandboxes> sandboxes;
  private final Map<String, McpSession> sessions = new ConcurrentHashMap<>();
  private final Thread sweeper;
  private McpStreamableServerSession.@Nullable Factory factory;

  McpSessions(
      McpJsonMapper json,
      McpSettings settings,
      ToolArguments arguments,
      Function<String, SessionSandboxes> sandboxes) {
    this.json = json;
    this.settings = settings;
    this.arguments = arguments;
    this.sandboxes = sandboxes;
    this.sweeper = Thread.ofVirtual().name("mcp-sessions").start(this::sweep);
  }

  /**
   * A session that has begun.
   *
   * @param answer to the request that began it
   */
  public record Begun(McpSession session, String answer) {}

  /** Reads a message. */
  public McpSchema.JSONRPCMessage read(String text) {
    try {
      return McpSchema.deserializeJsonRpcMessage(json, text);
    } catch (IOException | RuntimeException e) {
      throw new AtollException(
          ErrorCode.BAD_REQUEST, "this is no message of JSON-RPC 2.0", null, Map.of(), e);
    }
  }

  /**
   * Begins a session for a project.
   *
   * @param memory pays for it until it ends
   */
  public Begun begin(String project, McpSchema.JSONRPCRequest request, BudgetAccount memory) {
    McpSchema.InitializeRequest initialize;
    try {
      initialize =
          json.convertValue(request.params(), new TypeRef<McpSchema.InitializeRequest>() {});
    } catch (RuntimeException e) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, "initialize lacks its parameters", null, Map.of(), e);
    }
    memory.require(SESSION_COST + 4L * text(request).length(), "another session");
    McpStreamableServerSession.McpStreamableServerSessionInit begun =
        Objects.requireNonNull(factory).startSession(initialize);
    McpSession session =
        new McpSession(project, begun.session(), json, arguments, sandboxes.apply(project), memory);
    sessions.put(session.id(), session);
    McpSchema.InitializeResult result = begun.initResult().block();
    return new Begun(session, text(McpSchema.JSONRPCResponse.result(request.id(), result)));
  }

  /** The session of that id, if it is one of the project. */
  public McpSession find(String project, @Nullable String id) {
    if (id == null) {
      throw new AtollException(
          ErrorCode.BAD_REQUEST,
          "the header Mcp-Session-Id is missing",
          "Begin with initialize, and send the id that its answer has.");
    }
    McpSession session = sessions.get(id);
    if (session == null || !session.project().equals(project)) {
      throw new AtollException(
          ErrorCode.NOT_FOUND, "there is no such session", "Begin another one with initialize.");
    }
    return session;
  }

  /** Ends a session and all that belongs to it. */
  public void end(McpSession session) {
    if (sessions.remove(session.id(), session)) {
      session.close();
    }
  }

  /** A message of ours as it goes out. */
  public String text(McpSchema.JSONRPCMessage message) {
    try {
      return json.writeValueAsString(message);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void sweep() {
    Duration pause = settings.sessionIdle().dividedBy(4);
    try {
      while (true) {
        Thread.sleep(pause.compareTo(Duration.ofMinutes(1)) < 0 ? pause : Duration.ofMinutes(1));
        sessions.values().stream()
            .filter(s -> s.idleFor(settings.sessionIdle()))
            .forEach(this::end);
      }
    } catch (InterruptedException e) {
      log.debug("no more sessions");
    }
  }

  @Override
  public void setSessionFactory(McpStreamableServerSession.Factory sessionFactory) {
    factory = sessionFactory;
  }

  @Override
  public Mono<Void> notifyClients(String method, Object params) {
    // What this server offers never changes while it runs.
    return Flux.<Void>empty().then();
  }

  @Override
  public List<String> protocolVersions() {
    return List.of(
        ProtocolVersions.MCP_2025_03_26,
        ProtocolVersions.MCP_2025_06_18,
        ProtocolVersions.MCP_2025_11_25);
  }

  @Override
  public Mono<Void> closeGracefully() {
    return Mono.fromRunnable(this::close);
  }

  @Override
  public void close() {
    sweeper.interrupt();
    sessions.values().forEach(this::end);
  }
}
