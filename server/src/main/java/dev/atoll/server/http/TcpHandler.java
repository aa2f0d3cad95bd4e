package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.net.PortConnection;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;

/** {@code GET /v1/sandboxes/{sb}/tcp/{port}}: a connection to a port over a WebSocket. */
final class TcpHandler implements Operation {
  private final Engine engine;

  TcpHandler(Engine engine) {
    this.engine = engine;
  }

  @Override
  public void handle(Exchange exchange) {
    int port = PortOperations.port(exchange);
    PortConnection connection =
        engine.ports().connect(exchange.project(), exchange.sandbox(), port);
    boolean done = false;
    try {
      TcpSocket socket = new TcpSocket(connection);
      ServerWebSocketContainer container =
          ServerWebSocketContainer.get(exchange.request().getContext());
      if (!container.upgrade(
          (_, _, _) -> socket, exchange.request(), exchange.response(), exchange.callback())) {
        throw new AtollException(
            ErrorCode.BAD_REQUEST,
            "this path speaks WebSocket alone",
            "Connect with a WebSocket client, or use `atoll forward`.");
      }
      exchange.handOver();
      done = true;
    } finally {
      if (!done) {
        connection.close();
      }
    }
  }
}
