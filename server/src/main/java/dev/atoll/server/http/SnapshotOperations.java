package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotRequest;
import org.eclipse.jetty.http.HttpHeader;

/** The operations on snapshots that only pass on and give back. */
final class SnapshotOperations {
  private final Engine engine;

  SnapshotOperations(Engine engine) {
    this.engine = engine;
  }

  void create(Exchange exchange) {
    String sandbox = exchange.sandbox();
    SnapshotRequest request = exchange.body(SnapshotRequest.class, SnapshotRequest.unnamed());
    SnapshotInfo snapshot = engine.snapshots().create(exchange.project(), sandbox, request);
    exchange.response().getHeaders().put(HttpHeader.LOCATION, "/v1/snapshots/" + snapshot.id());
    exchange.json(201, snapshot);
  }

  void get(Exchange exchange) {
    exchange.json(200, engine.snapshots().get(exchange.project(), exchange.path("snap")));
  }

  void delete(Exchange exchange) {
    engine.snapshots().delete(exchange.project(), exchange.path("snap"));
    exchange.noContent();
  }
}
