package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.ClaimRequest;
import dev.atoll.model.Page;
import dev.atoll.model.PoolInfo;
import dev.atoll.model.PoolSpec;
import dev.atoll.model.PoolUpdate;
import org.eclipse.jetty.http.HttpHeader;

/** The operations on warm pools. */
final class PoolOperations {
  private final Engine engine;

  PoolOperations(Engine engine) {
    this.engine = engine;
  }

  void create(Exchange exchange) {
    PoolSpec spec = exchange.body(PoolSpec.class);
    PoolInfo pool = engine.pools().create(exchange.project(), spec);
    exchange.response().getHeaders().put(HttpHeader.LOCATION, "/v1/pools/" + pool.id());
    exchange.json(201, pool);
  }

  void list(Exchange exchange) {
    exchange.json(200, new Page<>(engine.pools().list(exchange.project()), null));
  }

  void get(Exchange exchange) {
    exchange.json(200, engine.pools().get(exchange.project(), exchange.path("pool")));
  }

  void update(Exchange exchange) {
    String pool = exchange.path("pool");
    PoolUpdate update = exchange.body(PoolUpdate.class);
    exchange.json(200, engine.pools().update(exchange.project(), pool, update));
  }

  void delete(Exchange exchange) {
    engine.pools().delete(exchange.project(), exchange.path("pool"));
    exchange.noContent();
  }

  void claim(Exchange exchange) {
    String pool = exchange.path("pool");
    ClaimRequest request = exchange.body(ClaimRequest.class, ClaimRequest.plain());
    exchange.created(engine.pools().claim(exchange.project(), pool, request));
  }
}
