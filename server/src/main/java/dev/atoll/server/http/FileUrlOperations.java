package dev.atoll.server.http;

import dev.atoll.engine.Engine;
import dev.atoll.engine.FileUrlClaim;
import dev.atoll.engine.FileUrlUse;
import dev.atoll.engine.FileUrls;
import dev.atoll.model.FileEntry;
import dev.atoll.model.FileUrl;
import dev.atoll.model.FileUrlRequest;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.eclipse.jetty.server.Request;

/** URLs by which others read or write one file of a sandbox without a key. */
final class FileUrlOperations {
  private final Engine engine;

  FileUrlOperations(Engine engine) {
    this.engine = engine;
  }

  void create(Exchange exchange) {
    FileUrls.Signed signed =
        engine
            .fileUrls()
            .sign(exchange.project(), exchange.sandbox(), exchange.body(FileUrlRequest.class));
    FileUrlClaim claim = signed.claim();
    exchange.json(
        201,
        new FileUrl(
            SignedFileUrl.address(exchange.request(), signed),
            claim.method(),
            claim.path(),
            claim.expiresAt(),
            claim.maxBytes()));
  }

  void revoke(Exchange exchange) {
    engine.fileUrls().revoke(exchange.project(), exchange.sandbox());
    exchange.noContent();
  }

  void read(Exchange exchange) throws IOException {
    SignedFileUrl url = url(exchange);
    try (FileUrlUse use = use(exchange, url)) {
      new FileDownload(
              exchange, url.claim().path(), (_, offset, length) -> use.read(offset, length))
          .send();
    }
  }

  void write(Exchange exchange) throws IOException {
    long announced = exchange.request().getLength();
    FileEntry entry;
    try (FileUrlUse use = use(exchange, url(exchange));
        InputStream content = exchange.input()) {
      entry = use.write(content, announced);
    }
    exchange.json(200, entry);
  }

  private FileUrlUse use(Exchange exchange, SignedFileUrl url) {
    String from = Request.getRemoteAddr(exchange.request());
    return engine.fileUrls().use(url.claim(), url.signature(), from);
  }

  private static SignedFileUrl url(Exchange exchange) {
    return Objects.requireNonNull(SignedFileUrl.of(exchange.request(), exchange.match()));
  }
}
