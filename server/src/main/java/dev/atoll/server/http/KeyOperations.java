package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.ApiKeyInfo;
import dev.atoll.model.ApiKeyRequest;
import dev.atoll.model.Page;
import org.eclipse.jetty.http.HttpHeader;

/** The API keys of the caller's project; an administrator makes them for any project. */
final class KeyOperations {
  private final Engine engine;

  KeyOperations(Engine engine) {
    this.engine = engine;
  }

  void list(Exchange exchange) {
    exchange.json(200, new Page<>(engine.keys().list(exchange.owner()), null));
  }

  void create(Exchange exchange) {
    ApiKeyRequest request = exchange.body(ApiKeyRequest.class);
    String project = request.project() == null ? exchange.project() : request.project();
    if (!project.equals(exchange.project())) {
      exchange.administratorsOnly();
    }
    ApiKeyInfo key = engine.keys().create(project, request.name());
    exchange.response().getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    exchange.json(201, key);
  }

  void revoke(Exchange exchange) {
    engine.keys().revoke(exchange.owner(), exchange.path("id"));
    exchange.noContent();
  }
}
