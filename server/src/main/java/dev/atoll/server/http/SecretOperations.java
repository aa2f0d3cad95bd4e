package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.Page;
import dev.atoll.model.SecretInfo;
import dev.atoll.model.SecretSpec;
import org.eclipse.jetty.http.HttpHeader;

/** The operations on the secrets of the caller's project; no answer holds a value. */
final class SecretOperations {
  private final Engine engine;

  SecretOperations(Engine engine) {
    this.engine = engine;
  }

  void list(Exchange exchange) {
    exchange.json(200, new Page<>(engine.secrets().list(exchange.project()), null));
  }

  void create(Exchange exchange) {
    SecretInfo made = engine.secrets().create(exchange.project(), exchange.body(SecretSpec.class));
    exchange.response().getHeaders().put(HttpHeader.LOCATION, "/v1/secrets/" + made.name());
    exchange.json(201, made);
  }

  void get(Exchange exchange) {
    exchange.json(200, engine.secrets().get(exchange.project(), exchange.path("name")));
  }

  void put(Exchange exchange) {
    exchange.json(
        200,
        engine
            .secrets()
            .put(exchange.project(), exchange.path("name"), exchange.body(SecretSpec.class)));
  }

  void delete(Exchange exchange) {
    engine.secrets().delete(exchange.project(), exchange.path("name"));
    exchange.noContent();
  }
}
