package dev.atoll.server.http;

import static dev.atoll.server.http.TestingServer.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.engine.FileContent;
import dev.atoll.model.FileEntry;
import dev.atoll.model.FileKind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FileTransferTest {
  private static final byte[] CONTENT = "0123456789".getBytes(StandardCharsets.UTF_8);
  private static final long HUGE = 1L << 30;

  private TestingServer server = new TestingServer();
  private volatile long received;

  @BeforeAll
  void start() {
    server.close();
    server =
        new TestingServer(
            Route.get("/v1/file", exchange -> download(exchange, "report ü.txt", CONTENT.length)),
            Route.get("/v1/huge", exchange -> download(exchange, "huge", HUGE)),
            Route.get("/v1/proc", exchange -> download(exchange, "cpuinfo", 0)),
            Route.get("/v1/shrinking", exchange -> download(exchange, "shrinking", 20)),
            Route.get(
                "/v1/directory",
                exchange ->
                    new FileDownload(
                            exchange, "/d", (p, o, l) -> content(p, FileKind.DIRECTORY, 0, 0, 0))
                        .send()),
            Route.put(
                "/v1/upload",
                exchange -> {
                  try (InputStream input = exchange.input()) {
                    byte[] buffer = new byte[64 << 10];
                    long count = 0;
                    for (int n = input.read(buffer); n >= 0; n = input.read(buffer)) {
                      count += n;
                    }
                    received = count;
                  }
                  exchange.noContent();
                }));
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void wholeFileIsAnAttachment() throws Exception {
    HttpResponse<String> response = server.get("/v1/file");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("0123456789");
    assertThat(header(response, "Content-Type")).isEqualTo("application/octet-stream");
    assertThat(header(response, "X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(header(response, "Content-Disposition"))
        .isEqualTo("attachment; filename=\"report _.txt\"; filename*=UTF-8''report%20%C3%BC.txt");
    assertThat(header(response, "Accept-Ranges")).isEqualTo("bytes");
    assertThat(header(response, "Content-Length")).isEqualTo("10");
    assertThat(header(response, "Last-Modified")).isEqualTo("Thu, 01 Jan 1970 00:00:01 GMT");
  }

  @Test
  void rangesAreServed() throws Exception {
    HttpResponse<String> middle = ranged("bytes=2-4");
    assertThat(middle.statusCode()).isEqualTo(206);
    assertThat(middle.body()).isEqualTo("234");
    assertThat(header(middle, "Content-Range")).isEqualTo("bytes 2-4/10");
    assertThat(ranged("bytes=-3").body()).isEqualTo("789");
    assertThat(ranged("bytes=8-").body()).isEqualTo("89");
    assertThat(ranged("bytes=0-1,3-4").statusCode()).isEqualTo(200);
    HttpResponse<String> outside = ranged("bytes=10-");
    assertThat(outside.statusCode()).isEqualTo(416);
    assertThat(header(outside, "Content-Range")).isEqualTo("bytes */10");
    assertThat(outside.body()).contains("range_not_satisfiable");
  }

  @Test
  void conditionsAreHonoured() throws Exception {
    String etag = header(server.get("/v1/file"), "ETag");
    assertThat(etag).matches("\".+\"");
    assertThat(server.send(server.request("/v1/file").header("If-None-Match", etag)).statusCode())
        .isEqualTo(304);
    assertThat(
            server
                .send(
                    server
                        .request("/v1/file")
                        .header("Range", "bytes=1-1")
                        .header("If-Range", etag))
                .statusCode())
        .isEqualTo(206);
    assertThat(
            server
                .send(
                    server
                        .request("/v1/file")
                        .header("Range", "bytes=1-1")
                        .header("If-Range", "\"x\""))
                .body())
        .isEqualTo("0123456789");
  }

  @Test
  void headGivesHeadersAlone() throws Exception {
    HttpResponse<String> response =
        server.send(server.request("/v1/file").method("HEAD", BodyPublishers.noBody()));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(header(response, "Content-Length")).isEqualTo("10");
    assertThat(response.body()).isEmpty();
  }

  @Test
  void directoryIsAnError() throws Exception {
    HttpResponse<String> response = server.get("/v1/directory");
    assertThat(response.statusCode()).isEqualTo(409);
    assertThat(response.body()).contains("is_a_directory");
  }

  @Test
  void filesThatClaimToBeEmptyAreSentWhole() throws Exception {
    HttpResponse<String> response = server.get("/v1/proc");
    assertThat(response.body()).isEqualTo("0123456789");
    assertThat(header(response, "Transfer-Encoding")).isEqualTo("chunked");
  }

  @Test
  void fileThatShrinksIsCutOff() {
    assertThatThrownBy(() -> server.get("/v1/shrinking")).isInstanceOf(IOException.class);
  }

  @Test
  void hugeDownloadNeedsOneBuffer() throws Exception {
    HttpResponse<InputStream> response = server.stream(server.request("/v1/huge"));
    long count = 0;
    try (InputStream body = response.body()) {
      byte[] buffer = new byte[256 << 10];
      for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
        count += n;
      }
    }
    assertThat(count).isEqualTo(HUGE);
  }

  @Test
  void hugeUploadNeedsOneBuffer() throws Exception {
    long size = 1L << 30;
    server.send(
        server
            .request("/v1/upload")
            .PUT(
                BodyPublishers.fromPublisher(
                    BodyPublishers.ofInputStream(() -> new Zeros(size)), size)));
    assertThat(received).isEqualTo(size);
  }

  private HttpResponse<String> ranged(String range) throws Exception {
    return server.send(server.request("/v1/file").header("Range", range));
  }

  private static void download(Exchange exchange, String path, long size) throws IOException {
    new FileDownload(
            exchange, path, (p, offset, length) -> content(p, FileKind.FILE, size, offset, length))
        .send();
  }

  private static FileContent content(
      String path, FileKind kind, long size, long offset, long length) {
    FileEntry entry =
        new FileEntry(path, kind, size, "0644", Instant.ofEpochSecond(1), "sandbox", null);
    InputStream stream =
        size == HUGE
            ? new Zeros(size)
            : new ByteArrayInputStream(
                CONTENT, (int) offset, length == 0 ? CONTENT.length - (int) offset : (int) length);
    return new FileContent() {
      @Override
      public FileEntry entry() {
        return entry;
      }

      @Override
      public InputStream stream() {
        return stream;
      }

      @Override
      public void close() {}
    };
  }
}
