package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.sdk.transport.Transport;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Iterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SnapshotsTest {
  private static final String EXPORT = "GET /v1/snapshots/base/export";

  private final FakeServer server = new FakeServer();
  private final Snapshots snapshots = Fixture.client(server).snapshots();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void listingFetchesPagesAsNeeded() {
    server.on(
        "GET /v1/snapshots",
        exchange -> {
          boolean first = !exchange.getRequestURI().getQuery().contains("cursor=");
          String cursor = first ? ",\"nextCursor\":\"c1\"" : "";
          FakeServer.answer(exchange, 200, "{\"items\":[" + Fixture.SNAPSHOT + "]" + cursor + "}");
        });
    Iterator<SnapshotInfo> found =
        snapshots
            .list(
                q ->
                    q.sandbox("lab")
                        .kind(SnapshotKind.MEMORY)
                        .kind(SnapshotKind.FILES)
                        .label("a b", "c")
                        .automatic(true)
                        .pageSize(1))
            .iterator();
    assertThat(found.next().name()).isEqualTo("base");
    found.next();
    assertThat(found.hasNext()).isFalse();
    String rest = "sandbox=lab&kind=memory%2Cfiles&labels.a%20b=c&automatic=true";
    assertThat(server.targets())
        .containsExactly(
            "GET /v1/snapshots?limit=1&" + rest, "GET /v1/snapshots?limit=1&cursor=c1&" + rest);
    assertThat(snapshots.list().stream()).hasSize(2);
    assertThat(server.targets()).contains("GET /v1/snapshots?limit=50");
  }

  @Test
  void oneIsReadAndDeleted() {
    answers("GET /v1/snapshots/base", 200, Fixture.SNAPSHOT);
    answers("DELETE /v1/snapshots/base", 204, "");
    assertThat(snapshots.get("base").id()).isEqualTo("snp_1");
    snapshots.delete("base");
    assertThat(server.targets()).last().isEqualTo("DELETE /v1/snapshots/base");
  }

  @ParameterizedTest
  @MethodSource("dev.atoll.sdk.Fixture#transports")
  void anExportIsAFileForItsOwnerAlone(Transport transport, @TempDir Path temp) throws Exception {
    answers(EXPORT, 200, "the state");
    Path file = Files.writeString(temp.resolve("base.atoll"), "older");
    Fixture.client(server, transport).snapshots().exportTo("base", file);
    assertThat(file).hasContent("the state");
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(server.seen().get(0).header("Accept")).isEqualTo("application/zstd");
  }

  @ParameterizedTest
  @MethodSource("dev.atoll.sdk.Fixture#transports")
  void anExportThatBreaksLeavesNothing(Transport transport, @TempDir Path temp) {
    server.on(
        EXPORT,
        exchange -> {
          FakeServer.lines(exchange, "half of it");
          FakeServer.cut(exchange);
        });
    assertThatExceptionOfType(ConnectionException.class)
        .isThrownBy(
            () ->
                Fixture.client(server, transport)
                    .snapshots()
                    .exportTo("base", temp.resolve("base.atoll")));
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void aMissingSnapshotLeavesTheFileThatIsThere(@TempDir Path temp) throws Exception {
    server.on(EXPORT, exchange -> FakeServer.error(exchange, 404, "snapshot_not_found"));
    Path file = Files.writeString(temp.resolve("base.atoll"), "older");
    assertThatExceptionOfType(SnapshotNotFoundException.class)
        .isThrownBy(() -> snapshots.exportTo("base", file));
    assertThat(file).hasContent("older");
  }

  @Test
  void aStreamThatTakesNoMoreIsTheCallersFailure() {
    answers(EXPORT, 200, "the state");
    ByteArrayOutputStream taken = new ByteArrayOutputStream();
    snapshots.exportTo("base", taken);
    assertThat(taken).hasToString("the state");
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int value) throws IOException {
            throw new IOException("disk full");
          }
        };
    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(() -> snapshots.exportTo("base", full))
        .withMessageContaining("disk full");
  }

  @ParameterizedTest
  @MethodSource("dev.atoll.sdk.Fixture#transports")
  void importsComeFromFilesAndStreams(Transport transport, @TempDir Path temp) throws Exception {
    answers("POST /v1/snapshots/import", 201, Fixture.SNAPSHOT);
    Path file = Files.writeString(temp.resolve("base.atoll"), "from a file");
    Snapshots imports = Fixture.client(server, transport).snapshots();
    assertThat(imports.importFrom(file, "a b").id()).isEqualTo("snp_1");
    byte[] bytes = "from a stream".getBytes(StandardCharsets.UTF_8);
    imports.importFrom(new ByteArrayInputStream(bytes));
    assertThat(server.targets())
        .containsExactly("POST /v1/snapshots/import?name=a%20b", "POST /v1/snapshots/import");
    assertThat(server.seen())
        .extracting(FakeServer.Seen::body)
        .containsExactly("from a file", "from a stream");
    assertThat(server.seen().get(0).header("Content-type")).isEqualTo("application/zstd");
  }

  private void answers(String target, int status, String body) {
    server.on(target, exchange -> FakeServer.answer(exchange, status, body));
  }
}
