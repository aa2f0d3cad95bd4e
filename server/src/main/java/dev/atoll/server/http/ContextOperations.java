package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.ContextSpec;
import dev.atoll.model.Page;

/** The operations on language contexts. */
final class ContextOperations {
  private final Engine engine;

  ContextOperations(Engine engine) {
    this.engine = engine;
  }

  void list(Exchange exchange) {
    exchange.json(
        200, new Page<>(engine.sandboxes().contexts(exchange.project(), exchange.sandbox()), null));
  }

  void open(Exchange exchange) {
    String sandbox = exchange.sandbox();
    ContextSpec spec = exchange.body(ContextSpec.class);
    exchange.json(201, engine.sandboxes().openContext(exchange.project(), sandbox, spec));
  }

  void restart(Exchange exchange) {
    exchange.json(
        200,
        engine
            .sandboxes()
            .restartContext(exchange.project(), exchange.sandbox(), exchange.path("name")));
  }

  void delete(Exchange exchange) {
    engine.sandboxes().deleteContext(exchange.project(), exchange.sandbox(), exchange.path("name"));
    exchange.noContent();
  }

  void interrupt(Exchange exchange) {
    engine
        .sandboxes()
        .interruptContext(exchange.project(), exchange.sandbox(), exchange.path("name"));
    exchange.noContent();
  }
}
