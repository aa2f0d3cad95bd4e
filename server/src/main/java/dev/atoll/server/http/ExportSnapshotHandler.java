package dev.atoll.server.http;

import dev.atoll.model.SnapshotInfo;
import java.io.OutputStream;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * {@code GET /v1/snapshots/{snap}/export}: a snapshot as one file, streamed. When it fails after
 * its beginning is out, the connection is cut, so that nobody takes a part for the whole.
 */
final class ExportSnapshotHandler implements Operation {
  /** Finds a snapshot by id or name. */
  @FunctionalInterface
  interface Finder {
    SnapshotInfo find(String project, String snapshot);
  }

  /** Writes a snapshot. */
  @FunctionalInterface
  interface Writer {
    void write(String project, String snapshot, OutputStream out);
  }

  private final Finder finder;
  private final Writer writer;
  private final Shutdown shutdown;

  ExportSnapshotHandler(Finder finder, Writer writer, Shutdown shutdown) {
    this.finder = finder;
    this.writer = writer;
    this.shutdown = shutdown;
  }

  @Override
  public void handle(Exchange exchange) {
    SnapshotInfo snapshot = finder.find(exchange.project(), exchange.path("snap"));
    addHeaders(exchange, snapshot);
    try (Shutdown.Stream _ = shutdown.stream();
        AnswerStream out = new AnswerStream(exchange, shutdown)) {
      // By id: a name could have gone to another snapshot in the meantime.
      writer.write(exchange.project(), snapshot.id(), out);
      out.finish();
    }
  }

  private static void addHeaders(Exchange exchange, SnapshotInfo snapshot) {
    String name = snapshot.name() == null ? snapshot.id() : snapshot.name();
    HttpFields.Mutable headers = exchange.response().getHeaders();
    exchange.response().setStatus(200);
    headers.put(HttpHeader.CONTENT_TYPE, "application/zstd");
    headers.put(HttpHeader.CONTENT_DISPOSITION, Attachment.header(name + ".atoll"));
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put(HttpHeader.CACHE_CONTROL, "no-store");
  }
}
