package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.SandboxFiles;
import dev.atoll.engine.WriteOptions;
import dev.atoll.model.FileEntry;
import dev.atoll.model.MoveRequest;
import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/** The operations on files that only pass on and give back. */
final class FileOperations {
  private static final int MAX_DEPTH = 64;
  private static final int DEFAULT_LIMIT = 1000;
  private static final int MAX_LIMIT = 100_000;
  private static final int MAX_MODE = 07777;

  private final Engine engine;

  FileOperations(Engine engine) {
    this.engine = engine;
  }

  void stat(Exchange exchange) {
    exchange.json(200, files(exchange).stat(exchange.query().path()));
  }

  void list(Exchange exchange) {
    Query query = exchange.query();
    int depth = (int) query.number("depth", 1, 1, MAX_DEPTH);
    int limit = (int) query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
    exchange.json(200, files(exchange).list(query.path(), depth, limit));
  }

  void write(Exchange exchange) throws IOException {
    Query query = exchange.query();
    String path = query.path();
    WriteOptions options =
        new WriteOptions(
            mode(query.text("mode")), query.flag("parents", true), query.flag("append", false));
    FileEntry entry;
    try (InputStream content = exchange.input()) {
      entry = files(exchange).write(path, content, options);
    }
    exchange.json(200, entry);
  }

  void remove(Exchange exchange) {
    Query query = exchange.query();
    files(exchange).remove(query.path(), query.flag("recursive", false));
    exchange.noContent();
  }

  void makeDirectory(Exchange exchange) {
    Query query = exchange.query();
    exchange.json(201, files(exchange).makeDirectory(query.path(), query.flag("parents", true)));
  }

  void move(Exchange exchange) {
    SandboxFiles files = files(exchange);
    MoveRequest request = exchange.body(MoveRequest.class);
    exchange.json(
        200, files.move(request.from(), request.to(), Boolean.TRUE.equals(request.overwrite())));
  }

  void readTar(Exchange exchange) throws IOException {
    try (InputStream tar = files(exchange).readTar(exchange.query().path())) {
      exchange.response().setStatus(200);
      exchange.response().getHeaders().put(HttpHeader.CONTENT_TYPE, "application/x-tar");
      FileDownload.copy(tar, exchange, Long.MAX_VALUE);
    }
  }

  void writeTar(Exchange exchange) throws IOException {
    String path = exchange.query().path();
    try (InputStream tar = exchange.input()) {
      files(exchange).writeTar(path, tar);
    }
    exchange.noContent();
  }

  static int mode(@Nullable String octal) {
    if (octal == null) {
      return 0;
    }
    if (octal.matches("[0-7]{1,5}")) {
      int mode = Integer.parseInt(octal, 8);
      if (mode >= 1 && mode <= MAX_MODE) {
        return mode;
      }
    }
    throw Query.invalid("mode", "must be permission bits in octal, such as 0644");
  }

  private SandboxFiles files(Exchange exchange) {
    return engine.sandboxes().files(exchange.project(), exchange.sandbox());
  }
}
