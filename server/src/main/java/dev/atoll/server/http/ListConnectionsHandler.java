package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.net.ConnectionLog;
import java.io.IOException;
import java.util.List;

/**
 * {@code GET /v1/connections}: what sandboxes reached and were refused, newest first; or, with
 * {@code follow}, as it happens.
 */
final class ListConnectionsHandler implements Operation {
  private final Engine engine;
  private final Shutdown shutdown;

  ListConnectionsHandler(Engine engine, Shutdown shutdown) {
    this.engine = engine;
    this.shutdown = shutdown;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    Query query = exchange.query();
    ConnectionFilter filter = ConnectionFilter.of(exchange, engine);
    if (!query.flag("follow", false)) {
      exchange.json(200, engine.connections().list(exchange.project(), filter.page(query)));
      return;
    }
    refuseBounds(query);
    exchange.memory().require(ConnectionFeed.WEIGHT, "a stream");
    ConnectionFeed feed = new ConnectionFeed(filter);
    try (Shutdown.Stream _ = shutdown.stream();
        ConnectionLog.Subscription _ = engine.connections().subscribe(feed::offer)) {
      new ConnectionAnswer(exchange, feed, shutdown).send();
    }
  }

  /** What has not happened yet has no pages, and no beginning but now. */
  private static void refuseBounds(Query query) {
    for (String bound : List.of("limit", "cursor", "since", "until")) {
      if (query.text(bound) != null) {
        throw Query.invalid(bound, "cannot be given together with follow");
      }
    }
  }
}
