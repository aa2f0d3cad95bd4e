package dev.atoll.server.http;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.server.mcp.McpErrors;
import dev.atoll.server.mcp.McpSession;
import dev.atoll.server.mcp.McpSessions;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * {@code /mcp}: the Model Context Protocol by its transport "Streamable HTTP". A message comes as a
 * POST and is answered with a stream of events, GET listens to the rest, DELETE ends a session.
 */
final class McpHandler {
  private static final String SESSION = "Mcp-Session-Id";
  private static final String VERSION = "MCP-Protocol-Version";
  private static final String JSON = "application/json";
  private static final String EVENTS = "text/event-stream";

  private final McpSessions sessions;
  private final AllowedHosts hosts;
  private final Shutdown shutdown;

  McpHandler(McpSessions sessions, AllowedHosts hosts, Shutdown shutdown) {
    this.sessions = sessions;
    this.hosts = hosts;
    this.shutdown = shutdown;
  }

  void post(Exchange exchange) throws IOException {
    Object id = null;
    try {
      check(exchange);
      accepts(exchange, JSON);
      accepts(exchange, EVENTS);
      byte[] body = exchange.bodyBytes();
      McpSchema.JSONRPCMessage message = sessions.read(new String(body, StandardCharsets.UTF_8));
      id = message instanceof McpSchema.JSONRPCRequest request ? request.id() : null;
      take(exchange, message);
    } catch (AtollException e) {
      refuse(exchange, id, e);
    }
  }

  private void take(Exchange exchange, McpSchema.JSONRPCMessage message) throws IOException {
    switch (message) {
      case McpSchema.JSONRPCRequest request
          when request.method().equals(McpSchema.METHOD_INITIALIZE) -> {
        McpSessions.Begun begun =
            sessions.begin(exchange.project(), request, exchange.memory().another());
        exchange.response().getHeaders().put(SESSION, begun.session().id());
        exchange.text(200, JSON, begun.answer());
      }
      case McpSchema.JSONRPCRequest request -> {
        McpSession session = session(exchange);
        EventStream events = new EventStream(exchange);
        session.answer(request, events);
        events.end();
      }
      default -> {
        session(exchange).accept(message);
        exchange.send(202, JSON, new byte[0]);
      }
    }
  }

  void listen(Exchange exchange) throws Exception {
    McpSession session;
    try {
      check(exchange);
      accepts(exchange, EVENTS);
      session = session(exchange);
    } catch (AtollException e) {
      refuse(exchange, null, e);
      return;
    }
    EventStream events = new EventStream(exchange);
    try (Shutdown.Stream _ = shutdown.stream();
        AutoCloseable _ = session.listen(events)) {
      Silence silence = new Silence(exchange.config().pingInterval());
      events.ping();
      while (!shutdown.begun() && !session.ended()) {
        Thread.sleep(silence.atMost(Shutdown.TICK));
        if (silence.tooLong()) {
          events.ping();
          silence.broken();
        }
      }
    }
    events.end();
  }

  void delete(Exchange exchange) {
    try {
      check(exchange);
      sessions.end(session(exchange));
      exchange.noContent();
    } catch (AtollException e) {
      refuse(exchange, null, e);
    }
  }

  private McpSession session(Exchange exchange) {
    return sessions.find(exchange.project(), exchange.header(SESSION));
  }

  /** A page in a browser names its origin: only one of this server's own names may ask. */
  private void check(Exchange exchange) {
    String origin = exchange.header("Origin");
    if (origin != null && !hosts.allows(host(origin))) {
      throw new AtollException(
          ErrorCode.FORBIDDEN,
          "pages of " + origin + " may not use this server",
          "Add the name to server.allowed-hosts.");
    }
    String version = exchange.header(VERSION);
    if (version != null && !sessions.protocolVersions().contains(version)) {
      throw new AtollException(
          ErrorCode.BAD_REQUEST,
          "this server does not speak version " + version + " of the protocol",
          "It speaks " + String.join(", ", sessions.protocolVersions()) + ".");
    }
  }

  private static String host(String origin) {
    try {
      String host = new URI(origin).getHost();
      return host == null ? origin : host;
    } catch (URISyntaxException e) {
      return origin;
    }
  }

  private static void accepts(Exchange exchange, String type) {
    String accept = exchange.request().getHeaders().get(HttpHeader.ACCEPT);
    if (accept == null || !(accept.contains(type) || accept.contains("*/*"))) {
      throw new AtollException(
          ErrorCode.UNSUPPORTED_MEDIA_TYPE,
          "the header Accept must name " + type,
          "Send \"Accept: application/json, text/event-stream\".");
    }
  }

  private void refuse(Exchange exchange, @Nullable Object id, AtollException failure) {
    exchange.text(
        failure.code().httpStatus(), JSON, sessions.text(McpErrors.response(id, failure)));
  }
}
