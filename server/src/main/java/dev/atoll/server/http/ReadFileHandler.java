package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.SandboxFiles;
import java.io.IOException;

/** {@code GET} and {@code HEAD /v1/sandboxes/{sb}/files}: the content of a file. */
final class ReadFileHandler implements Operation {
  private final Engine engine;

  ReadFileHandler(Engine engine) {
    this.engine = engine;
  }

  @Override
  public void handle(Exchange exchange) throws IOException {
    String path = exchange.query().path();
    SandboxFiles files = engine.sandboxes().files(exchange.project(), exchange.sandbox());
    new FileDownload(exchange, path, files::read).send();
  }
}
