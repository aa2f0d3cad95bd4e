package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.Run;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;

/** {@code GET /v1/sandboxes/{sb}/processes/{run}/pty}: a terminal over a WebSocket. */
final class PtyHandler implements Operation {
  private final Engine engine;
  private final Shutdown shutdown;

  PtyHandler(Engine engine, Shutdown shutdown) {
    this.engine = engine;
    this.shutdown = shutdown;
  }

  @Override
  public void handle(Exchange exchange) {
    Run run = engine.sandboxes().run(exchange.project(), exchange.sandbox(), exchange.path("run"));
    connect(exchange, run, shutdown);
  }

  static void connect(Exchange exchange, Run run, Shutdown shutdown) {
    requireSameOrigin(exchange);
    long from = exchange.query().number("from", 0, 0, Long.MAX_VALUE);
    PtySocket socket =
        new PtySocket(
            run, from, exchange.config().pingInterval(), shutdown, exchange.memory().another());
    ServerWebSocketContainer container =
        ServerWebSocketContainer.get(exchange.request().getContext());
    if (!container.upgrade(
        (_, _, _) -> socket, exchange.request(), exchange.response(), exchange.callback())) {
      throw new AtollException(
          ErrorCode.BAD_REQUEST,
          "this path speaks WebSocket alone",
          "Connect with a WebSocket client; /runs/{run}/events gives the same output over HTTP.");
    }
    exchange.handOver();
  }

  /**
   * Browsers let any page open a WebSocket to any server and send its Origin along. Programs send
   * none.
   */
  private static void requireSameOrigin(Exchange exchange) {
    String origin = exchange.header("Origin");
    String host = exchange.header("Host");
    if (origin == null
        || origin.equalsIgnoreCase("http://" + host)
        || origin.equalsIgnoreCase("https://" + host)) {
      return;
    }
    throw new AtollException(
        ErrorCode.FORBIDDEN,
        "a page from another origin may not open a terminal here",
        "Serve the page from the same host, or connect from a program.");
  }
}
