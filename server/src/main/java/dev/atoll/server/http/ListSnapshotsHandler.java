package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.SnapshotQuery;
import dev.atoll.model.SnapshotKind;

/** {@code GET /v1/snapshots}: lists snapshots, newest first. */
final class ListSnapshotsHandler implements Operation {
  private static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 200;

  private final Engine engine;

  ListSnapshotsHandler(Engine engine) {
    this.engine = engine;
  }

  @Override
  public void handle(Exchange exchange) {
    exchange.json(200, engine.snapshots().list(exchange.project(), parse(exchange.query())));
  }

  static SnapshotQuery parse(Query query) {
    return new SnapshotQuery(
        (int) query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT),
        query.text("cursor"),
        query.name("sandbox"),
        query.name("name"),
        query.choices("kind", SnapshotKind.class, SnapshotKind::wire),
        query.flag("automatic"),
        query.startingWith("labels."));
  }
}
