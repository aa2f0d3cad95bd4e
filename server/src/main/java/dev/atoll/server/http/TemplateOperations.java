package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.Page;

/** Looking at templates. */
final class TemplateOperations {
  private final Engine engine;

  TemplateOperations(Engine engine) {
    this.engine = engine;
  }

  void list(Exchange exchange) {
    exchange.json(200, new Page<>(engine.templates().list(), null));
  }

  void get(Exchange exchange) {
    exchange.json(200, engine.templates().get(exchange.path("name")));
  }
}
