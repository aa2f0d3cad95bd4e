package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.SandboxUpdate;

/** The operations on one sandbox that only pass on and give back. */
final class SandboxOperations {
  private final Engine engine;

  SandboxOperations(Engine engine) {
    this.engine = engine;
  }

  void get(Exchange exchange) {
    exchange.json(200, engine.sandboxes().get(exchange.project(), exchange.sandbox()));
  }

  void update(Exchange exchange) {
    String sandbox = exchange.sandbox();
    SandboxUpdate update = exchange.body(SandboxUpdate.class);
    exchange.json(200, engine.sandboxes().update(exchange.project(), sandbox, update));
  }

  void terminate(Exchange exchange) {
    engine.sandboxes().terminate(exchange.project(), exchange.sandbox());
    exchange.noContent();
  }

  void pause(Exchange exchange) {
    exchange.json(200, engine.sandboxes().pause(exchange.project(), exchange.sandbox()));
  }

  void resume(Exchange exchange) {
    exchange.json(200, engine.sandboxes().resume(exchange.project(), exchange.sandbox()));
  }

  void stats(Exchange exchange) {
    exchange.json(200, engine.sandboxes().stats(exchange.project(), exchange.sandbox()));
  }
}
