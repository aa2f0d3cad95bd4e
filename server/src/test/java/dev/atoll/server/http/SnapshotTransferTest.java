package dev.atoll.server.http;

import static dev.atoll.server.http.TestingServer.error;
import static dev.atoll.server.http.TestingServer.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Isolation;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotState;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots as files over HTTP: of any size, and whole or not at all. */
@Timeout(60)
final class SnapshotTransferTest {
  private static final long HUGE = 1L << 30;
  private static final int SOME = 300_000;
  private static final String IMPORT = "/v1/snapshots/import";

  private final BlockingQueue<String> imports = new LinkedBlockingQueue<>();
  private final Shutdown shutdown = new Shutdown();
  private TestingServer server = new TestingServer();

  @BeforeEach
  void start() {
    server.close();
    server =
        new TestingServer(
            Route.get(
                    "/v1/snapshots/{snap}/export",
                    new ExportSnapshotHandler(
                        (_, name) -> find(name), (_, id, out) -> write(id, out), shutdown))
                .streaming(),
            Route.post(
                    IMPORT, new ImportSnapshotHandler((_, in, name, kind) -> take(in, name, kind)))
                .taking("name", "kind"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void exportIsAnAttachmentNamedAfterTheSnapshot() throws Exception {
    HttpResponse<String> named = server.get("/v1/snapshots/small/export");
    assertThat(named.statusCode()).isEqualTo(200);
    assertThat(named.body()).isEqualTo("content");
    assertThat(header(named, "Content-Type")).isEqualTo("application/zstd");
    assertThat(header(named, "Content-Disposition"))
        .isEqualTo("attachment; filename=\"small.atoll\"");
    assertThat(header(named, "X-Content-Type-Options")).isEqualTo("nosniff");
    HttpResponse<String> unnamed = server.get("/v1/snapshots/snp_empty/export");
    assertThat(unnamed.body()).isEmpty();
    assertThat(header(unnamed, "Content-Disposition"))
        .isEqualTo("attachment; filename=\"snp_empty.atoll\"");
  }

  @Test
  void unknownSnapshotIsAnErrorAnswer() throws Exception {
    HttpResponse<String> response = server.get("/v1/snapshots/unknown/export");
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(error(response).code()).isEqualTo(ErrorCode.SNAPSHOT_NOT_FOUND);
    assertThat(header(response, "Content-Disposition")).isEmpty();
  }

  @Test
  void failureBeforeTheFirstByteIsAnErrorAnswer() throws Exception {
    HttpResponse<String> response = server.get("/v1/snapshots/lost/export");
    assertThat(response.statusCode()).isEqualTo(409);
    assertThat(error(response).code()).isEqualTo(ErrorCode.SNAPSHOT_INCOMPATIBLE);
    assertThat(header(response, "Content-Type")).isEqualTo("application/json");
    assertThat(header(response, "Content-Disposition")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"broken", "closing", "stopping"})
  void failureInTheMiddleBreaksTheConnection(String snapshot) throws Exception {
    HttpResponse<InputStream> response =
        server.stream(server.request("/v1/snapshots/" + snapshot + "/export"));
    assertThat(response.statusCode()).isEqualTo(200);
    try (InputStream body = response.body()) {
      assertThatThrownBy(body::readAllBytes).isInstanceOf(IOException.class);
    }
  }

  @Test
  void brokenExportLacksTheLastChunk() throws Exception {
    String answer =
        server.raw(
            "GET /v1/snapshots/closing/export HTTP/1.1\r\nHost: localhost\r\nX-API-Key: "
                + TestingServer.KEY
                + "\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 200").doesNotEndWith("0\r\n\r\n");
  }

  @Test
  void hugeExportNeedsOneBuffer() throws Exception {
    HttpResponse<InputStream> response = server.stream(server.request("/v1/snapshots/huge/export"));
    try (InputStream body = response.body()) {
      assertThat(count(body)).isEqualTo(HUGE);
    }
  }

  @Test
  void headOfAnExportIsRefused() throws Exception {
    assertThat(
            server
                .send(
                    server
                        .request("/v1/snapshots/small/export")
                        .method("HEAD", BodyPublishers.noBody()))
                .statusCode())
        .isEqualTo(405);
  }

  @Test
  void importTakesAnySizeWhateverTheLimitOfJson() throws Exception {
    HttpResponse<String> response = server.send(upload(IMPORT + "?name=back", HUGE));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
    assertThat(header(response, "Location")).isEqualTo("/v1/snapshots/snp_back");
    assertThat(response.body()).contains("\"name\":\"back\"");
    assertThat(imports.take()).isEqualTo("back " + HUGE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/zstd", "Application/Octet-Stream; x=y"})
  void importTakesArchives(String type) throws Exception {
    assertThat(server.send(upload(IMPORT, 10).header("Content-Type", type)).statusCode())
        .isEqualTo(201);
    assertThat(imports.take()).isEqualTo("null 10");
  }

  @Test
  void importInsistsOnAKind() throws Exception {
    assertThat(server.send(upload(IMPORT + "?kind=files", 10)).statusCode()).isEqualTo(201);
    assertThat(imports.take()).isEqualTo("null 10 files");
    HttpResponse<String> response = server.send(upload(IMPORT + "?kind=all", 10));
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(error(response).details()).containsEntry("field", "kind");
    assertThat(imports).isEmpty();
  }

  @Test
  void importRefusesOtherTypesAndBadNamesUnread() throws Exception {
    HttpResponse<String> json =
        server.send(upload(IMPORT, SOME).header("Content-Type", "application/json"));
    assertThat(json.statusCode()).isEqualTo(415);
    assertThat(error(json).hint()).contains("application/zstd");
    for (String bad : new String[] {"snp_x", "sbx_x", "a%2Fb", "-a", "x".repeat(64)}) {
      HttpResponse<String> response = server.send(upload(IMPORT + "?name=" + bad, SOME));
      assertThat(response.statusCode()).as(bad).isEqualTo(400);
      assertThat(error(response).details()).containsEntry("field", "name");
    }
    assertThat(server.send(upload(IMPORT + "?nam=x", SOME)).body()).contains("unknown_field");
    assertThat(imports).isEmpty();
  }

  @Test
  void callerLearnsWhyHisFileIsRefusedWhileHeIsStillSending() throws Exception {
    HttpResponse<String> response = server.send(upload(IMPORT + "?name=refused", 1L << 20));
    assertThat(response.statusCode()).isEqualTo(409);
    assertThat(error(response).code()).isEqualTo(ErrorCode.SNAPSHOT_INCOMPATIBLE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Content-Length: 1000000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\n"})
  void uploadThatBreaksOffIsNoWholeFile(String head) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      String request =
          "POST " + IMPORT + " HTTP/1.1\r\nHost: localhost\r\nX-API-Key: " + TestingServer.KEY;
      OutputStream out = socket.getOutputStream();
      out.write((request + "\r\n" + head + "hello").getBytes(StandardCharsets.US_ASCII));
      out.flush();
    }
    assertThat(imports.poll(10, TimeUnit.SECONDS)).isEqualTo("broken off");
  }

  private HttpRequest.Builder upload(String path, long size) {
    return server
        .request(path)
        .POST(
            BodyPublishers.fromPublisher(
                BodyPublishers.ofInputStream(() -> new Zeros(size)), size));
  }

  private static SnapshotInfo find(String snapshot) {
    if (snapshot.equals("unknown")) {
      throw new AtollException(ErrorCode.SNAPSHOT_NOT_FOUND, "there is no such snapshot");
    }
    return snapshot.startsWith("snp_")
        ? snapshot(snapshot, null)
        : snapshot("snp_" + snapshot, snapshot);
  }

  private void write(String id, OutputStream out) {
    try {
      switch (id) {
        case "snp_small" -> out.write("content".getBytes(StandardCharsets.UTF_8));
        case "snp_empty" -> out.close();
        case "snp_huge" -> new Zeros(HUGE).transferTo(out);
        case "snp_broken" -> {
          new Zeros(SOME).transferTo(out);
          throw new IllegalStateException("in the middle");
        }
        case "snp_stopping" -> {
          new Zeros(SOME).transferTo(out);
          shutdown.begin();
          new Zeros(HUGE).transferTo(out);
        }
        case "snp_closing" -> {
          // As try-with-resources does around a compressor.
          try (out) {
            new Zeros(SOME).transferTo(out);
            throw new AtollException(ErrorCode.INTERNAL, "in the middle");
          }
        }
        default -> throw new AtollException(ErrorCode.SNAPSHOT_INCOMPATIBLE, "its files are gone");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SnapshotInfo take(InputStream in, @Nullable String name, @Nullable SnapshotKind kind) {
    if ("refused".equals(name)) {
      throw new AtollException(ErrorCode.SNAPSHOT_INCOMPATIBLE, "of another version");
    }
    try {
      imports.add(name + " " + count(in) + (kind == null ? "" : " " + kind.wire()));
    } catch (IOException e) {
      imports.add("broken off");
      throw new UncheckedIOException(e);
    }
    return snapshot("snp_back", name);
  }

  private static long count(InputStream in) throws IOException {
    byte[] buffer = new byte[256 << 10];
    long count = 0;
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      count += n;
    }
    return count;
  }

  private static SnapshotInfo snapshot(String id, @Nullable String name) {
    return new SnapshotInfo(
        id,
        name,
        SnapshotKind.MEMORY,
        SnapshotState.READY,
        false,
        "sbx_1",
        null,
        null,
        null,
        "python",
        "digest",
        Isolation.GVISOR,
        "fake",
        "1",
        1,
        512,
        1024,
        64,
        Map.of(),
        Map.of(),
        Instant.EPOCH,
        1,
        1);
  }
}
