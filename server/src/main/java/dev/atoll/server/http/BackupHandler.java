package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * {@code GET /v1/backup}: all that the server keeps as one file, streamed. When it fails after its
 * beginning is out, the connection is cut, so that nobody takes a part for the whole.
 */
final class BackupHandler implements Operation {
  private final Engine engine;
  private final Shutdown shutdown;

  BackupHandler(Engine engine, Shutdown shutdown) {
    this.engine = engine;
    this.shutdown = shutdown;
  }

  @Override
  public void handle(Exchange exchange) {
    exchange.administratorsOnly();
    exchange.response().setStatus(200);
    HttpFields.Mutable headers = exchange.response().getHeaders();
    headers.put(HttpHeader.CONTENT_TYPE, "application/zstd");
    headers.put(HttpHeader.CONTENT_DISPOSITION, Attachment.header("backup.atoll"));
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put(HttpHeader.CACHE_CONTROL, "no-store");
    try (Shutdown.Stream _ = shutdown.stream();
        AnswerStream out = new AnswerStream(exchange, shutdown)) {
      engine.backups().write(out);
      out.finish();
    }
  }
}
