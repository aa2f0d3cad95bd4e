package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Page;
import dev.atoll.model.PortInfo;
import dev.atoll.model.PortRequest;
import dev.atoll.model.PortShare;
import dev.atoll.model.ShareRequest;

/** The ports of a sandbox, who may reach them, and tokens to them. */
final class PortOperations {
  private final Engine engine;

  PortOperations(Engine engine) {
    this.engine = engine;
  }

  void list(Exchange exchange) {
    String id = id(exchange);
    exchange.json(
        200,
        new Page<>(
            engine.ports().list(exchange.project(), id).stream()
                .map(port -> located(exchange, id, port))
                .toList(),
            null));
  }

  void get(Exchange exchange) {
    String id = id(exchange);
    PortInfo port = engine.ports().get(exchange.project(), id, port(exchange));
    exchange.json(200, located(exchange, id, port));
  }

  void update(Exchange exchange) {
    int port = port(exchange);
    PortRequest request = exchange.body(PortRequest.class);
    engine.ports().access(exchange.project(), exchange.sandbox(), port, request.access());
    get(exchange);
  }

  void share(Exchange exchange) {
    String id = id(exchange);
    PortShare share =
        engine.ports().share(exchange.project(), id, exchange.body(ShareRequest.class));
    exchange.json(201, share.withUrl(PortAddress.url(exchange, id, share.port(), share.token())));
  }

  void shares(Exchange exchange) {
    exchange.json(
        200, new Page<>(engine.ports().shares(exchange.project(), exchange.sandbox()), null));
  }

  void revoke(Exchange exchange) {
    engine.ports().revoke(exchange.project(), exchange.sandbox(), exchange.path("id"));
    exchange.noContent();
  }

  /** The port in the path. */
  static int port(Exchange exchange) {
    String text = exchange.path("port");
    if (text.matches("[0-9]{1,5}")) {
      int port = Integer.parseInt(text);
      if (port >= 1 && port <= 65_535) {
        return port;
      }
    }
    throw new AtollException(
        ErrorCode.INVALID_ARGUMENT,
        "port is \"" + text + "\", must be between 1 and 65535",
        null,
        Exchange.field("port"),
        null);
  }

  private String id(Exchange exchange) {
    return engine.ports().idOf(exchange.project(), exchange.sandbox());
  }

  private static PortInfo located(Exchange exchange, String id, PortInfo port) {
    return port.withUrl(PortAddress.url(exchange, id, port.port(), null));
  }
}
