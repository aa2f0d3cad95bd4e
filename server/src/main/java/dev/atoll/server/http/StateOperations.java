package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.MergeRequest;
import dev.atoll.model.RewindRequest;

/** What is done with the state of a sandbox as a whole. */
final class StateOperations {
  private final Engine engine;

  StateOperations(Engine engine) {
    this.engine = engine;
  }

  void fork(Exchange exchange) {
    String sandbox = exchange.sandbox();
    ForkRequest request = exchange.body(ForkRequest.class, ForkRequest.of(1));
    exchange.json(201, engine.sandboxes().fork(exchange.project(), sandbox, request));
  }

  void merge(Exchange exchange) {
    String sandbox = exchange.sandbox();
    MergeRequest request = exchange.body(MergeRequest.class);
    exchange.json(200, engine.sandboxes().merge(exchange.project(), sandbox, request));
  }

  void rewind(Exchange exchange) {
    String sandbox = exchange.sandbox();
    RewindRequest request = exchange.body(RewindRequest.class);
    exchange.json(200, engine.sandboxes().rewind(exchange.project(), sandbox, request));
  }

  void tree(Exchange exchange) {
    exchange.json(200, engine.sandboxes().tree(exchange.project(), exchange.sandbox()));
  }

  void diff(Exchange exchange) {
    String from = exchange.query().requiredName("from");
    String to = exchange.query().requiredName("to");
    exchange.json(200, engine.sandboxes().diff(exchange.project(), from, to));
  }

  void hibernate(Exchange exchange) {
    exchange.json(200, engine.sandboxes().hibernate(exchange.project(), exchange.sandbox()));
  }

  void wake(Exchange exchange) {
    exchange.json(200, engine.sandboxes().wake(exchange.project(), exchange.sandbox()));
  }
}
