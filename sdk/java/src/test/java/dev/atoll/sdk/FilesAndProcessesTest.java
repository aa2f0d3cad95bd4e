package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.atoll.model.AtollException;
import dev.atoll.model.FileChange;
import dev.atoll.model.FileEvent;
import dev.atoll.model.FileUrl;
import dev.atoll.model.FileUrlMethod;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.TemplateInfo;
import dev.atoll.sdk.transport.HttpBody;
import dev.atoll.sdk.transport.Transport;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FilesAndProcessesTest {
  private static final String ENTRY =
      "{\"path\":\"/f\",\"kind\":\"file\",\"size\":1,\"mode\":\"0644\",\"modifiedAt\":\"2026-11-15T00:00:00Z\",\"owner\":\"sandbox\"}";
  private static final String PROCESS =
      "{\"id\":\"run_1\",\"pid\":7,\"command\":[\"cat\"],\"pty\":false,\"running\":%s,\"startedAt\":\"2026-11-15T00:00:00Z\",\"outputBytes\":0}";

  private final FakeServer server = new FakeServer();

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @MethodSource("dev.atoll.sdk.Fixture#transports")
  void filesGoUpAndDown(Transport transport, @TempDir Path temp) throws Exception {
    server.on("PUT /v1/sandboxes/x/files", exchange -> FakeServer.answer(exchange, 200, ENTRY));
    server.on("GET /v1/sandboxes/x/files", exchange -> FakeServer.answer(exchange, 200, "content"));
    SandboxFiles files = Fixture.client(server, transport).sandboxes().handle("x").files();
    Path local = Files.writeString(temp.resolve("local"), "from disk");
    files.upload(local, "/a b/ü");
    files.write("e", HttpBody.of(new byte[0]), w -> w.append().mode("0755"));
    files.download("/f", temp.resolve("copy"));
    assertThat(temp.resolve("copy")).hasContent("content");
    assertThat(files.readText("/f")).isEqualTo("content");
    assertThat(server.seen().get(0).body()).isEqualTo("from disk");
    assertThat(server.targets().get(0))
        .isEqualTo("PUT /v1/sandboxes/x/files?path=%2Fa%20b%2F%C3%BC&parents=true&append=false");
    assertThat(server.targets().get(1)).endsWith("path=e&mode=0755&parents=true&append=true");
  }

  @Test
  void urlsOfFilesAreAskedForAndTakenBack() {
    String url =
        "{\"url\":\"http://h/u\",\"method\":\"%s\",\"path\":\"a b\",\"expiresAt\":\"2026-11-15T00:00:00Z\"%s}";
    SandboxFiles files = Fixture.client(server).sandboxes().handle("x").files();
    server.on(
        "POST /v1/sandboxes/x/files/urls",
        exchange -> FakeServer.answer(exchange, 201, url.formatted("GET", "")));
    FileUrl down = files.downloadUrl("a b", Duration.ofMinutes(10));
    assertThat(down.url()).isEqualTo("http://h/u");
    assertThat(down.method()).isEqualTo(FileUrlMethod.GET);
    assertThat(server.seen().get(server.seen().size() - 1).body())
        .isEqualTo("{\"method\":\"GET\",\"path\":\"a b\",\"ttlSeconds\":600.0}");
    server.on(
        "POST /v1/sandboxes/x/files/urls",
        exchange -> FakeServer.answer(exchange, 201, url.formatted("PUT", ",\"maxBytes\":5")));
    assertThat(files.uploadUrl("a b", Duration.ofSeconds(1), 5).maxBytes()).isEqualTo(5);
    assertThat(server.seen().get(server.seen().size() - 1).body())
        .isEqualTo("{\"method\":\"PUT\",\"path\":\"a b\",\"ttlSeconds\":1.0,\"maxBytes\":5}");
    assertThatExceptionOfType(AtollException.class)
        .isThrownBy(() -> files.downloadUrl("a/../b", Duration.ofSeconds(1)))
        .withMessageContaining("path");
    server.on(
        "DELETE /v1/sandboxes/x/files/urls", exchange -> FakeServer.answer(exchange, 204, ""));
    files.revokeUrls();
    assertThat(server.targets()).last().isEqualTo("DELETE /v1/sandboxes/x/files/urls");
  }

  @Test
  void aHugeUploadPassesInFlatMemory() {
    long size = 512L << 20;
    long[] received = new long[1];
    InputStream huge =
        new InputStream() {
          private long left = size;

          @Override
          public int read() {
            return left-- > 0 ? 0 : -1;
          }

          @Override
          public int read(byte[] into, int from, int length) {
            int count = (int) Math.min(length, left);
            left -= count;
            received[0] += count;
            return count == 0 ? -1 : count;
          }
        };
    try (FakeSink sink = new FakeSink()) {
      Atoll atoll = Atoll.builder().url(sink.url()).apiKey("k").build();
      atoll.sandboxes().handle("x").files().writeTar("/d", huge);
      assertThat(received[0]).isEqualTo(size);
      assertThat(sink.bytes()).isEqualTo(size);
    }
  }

  @Test
  void aWatchGoesOnAfterABreakAndSaysThatChangesMayBeLost() {
    AtomicInteger calls = new AtomicInteger();
    Semaphore read = new Semaphore(0);
    server.on(
        "GET /v1/sandboxes/x/files/watch",
        exchange -> {
          String name = "/w/" + calls.incrementAndGet();
          FakeServer.lines(
              exchange,
              "{\"type\":\"watching\"}",
              "{\"type\":\"ping\"}",
              "{\"type\":\"change\",\"change\":\"created\",\"path\":\"" + name + "\"}");
          read.acquireUninterruptibly();
          FakeServer.cut(exchange);
        });
    try (FileWatch watch = Fixture.client(server).sandboxes().handle("x").files().watch("/w")) {
      Iterator<FileEvent> events = watch.iterator();
      assertThat(events.next()).isEqualTo(new FileEvent(FileChange.CREATED, "/w/1", null));
      read.release();
      assertThat(events.next()).isEqualTo(new FileEvent(FileChange.OVERFLOW, "/w", null));
      assertThat(events.next()).isEqualTo(new FileEvent(FileChange.CREATED, "/w/2", null));
    }
  }

  @Test
  void waitingForAProcessEndsWithItsTime() {
    server.on(
        "POST /v1/sandboxes/x/processes",
        exchange -> FakeServer.answer(exchange, 201, PROCESS.formatted("true")));
    server.on(
        "GET /v1/sandboxes/x/processes/run_1/wait",
        exchange -> FakeServer.answer(exchange, 200, PROCESS.formatted("true")));
    server.on(
        "POST /v1/sandboxes/x/processes/run_1/stdin",
        exchange -> FakeServer.answer(exchange, 204, ""));
    RemoteProcess process =
        Fixture.client(server)
            .sandboxes()
            .handle("x")
            .start(List.of("cat"), c -> c.openStdin().name("cat"));
    process.write("hello");
    process.closeStdin();
    ProcessInfo info = process.waitFor(Duration.ofMillis(50));
    assertThat(info.running()).isTrue();
    assertThat(process.pid()).isEqualTo(7);
    assertThat(server.seen().get(0).body()).contains("\"openStdin\":true");
    assertThat(server.seen().get(1).body()).isEqualTo("hello");
    assertThat(server.targets().get(2)).endsWith("stdin?eof=true");
  }

  @Test
  void aBuildTellsItsProgressAndItsFailure() {
    List<String> progress = new ArrayList<>();
    String step = "{\"type\":\"progress\",\"message\":\"unpacking\"}";
    server.on(
        "POST /v1/templates/python/build",
        exchange -> {
          FakeServer.lines(
              exchange,
              step,
              "{\"type\":\"ready\",\"template\":{\"name\":\"python\",\"digest\":\"d\",\"state\":\"ready\"}}");
          exchange.close();
        });
    TemplateInfo info = Fixture.client(server).templates().build("python", progress::add);
    assertThat(info.state()).isEqualTo("ready");
    assertThat(progress).containsExactly("unpacking");
    server.on(
        "POST /v1/templates/python/build",
        exchange -> {
          FakeServer.lines(
              exchange,
              "{\"type\":\"failed\",\"error\":{\"code\":\"template_build_failed\",\"message\":\"no disk\",\"requestId\":\"r\"}}");
          exchange.close();
        });
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> Fixture.client(server).templates().build("python"))
        .withMessage("no disk");
  }
}
