package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.FileWatch;
import dev.atoll.model.FileChange;
import dev.atoll.model.FileEvent;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /v1/sandboxes/{sb}/files/watch}: changes below a path, as long as the caller listens.
 */
final class WatchFilesHandler implements Operation {
  private final Engine engine;
  private final Shutdown shutdown;

  WatchFilesHandler(Engine engine, Shutdown shutdown) {
    this.engine = engine;
    this.shutdown = shutdown;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    Query query = exchange.query();
    try (Shutdown.Stream _ = shutdown.stream();
        FileWatch watch =
            engine
                .sandboxes()
                .files(exchange.project(), exchange.sandbox())
                .watch(query.path(), query.flag("recursive", true))) {
      follow(exchange, watch);
    }
  }

  void follow(Exchange exchange, FileWatch watch) throws IOException {
    NdjsonWriter writer = new NdjsonWriter(exchange);
    writer.add(new Mark("watching"));
    writer.flush();
    Silence silence = new Silence(exchange.config().pingInterval());
    while (!shutdown.begun()) {
      FileEvent event = watch.next(silence.atMost(Shutdown.TICK));
      if (event == null && !silence.tooLong()) {
        continue;
      }
      if (event == null) {
        writer.add(new Mark("ping"));
      }
      while (event != null) {
        writer.add(Change.of(event));
        event = writer.full() ? null : watch.next(Duration.ZERO);
      }
      writer.flush();
      silence.broken();
    }
    writer.end();
  }

  /** A line that says nothing but its type. */
  record Mark(String type) {}

  /** A {@link FileEvent} as a line. */
  record Change(String type, FileChange change, String path, @Nullable String from) {
    static Change of(FileEvent event) {
      return new Change("change", event.change(), event.path(), event.from());
    }
  }
}
