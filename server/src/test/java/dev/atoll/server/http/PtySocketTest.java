package dev.atoll.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.RunEvent;
import dev.atoll.model.TerminalSize;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class PtySocketTest {
  private final FakeRun run = new FakeRun();
  private final Shutdown shutdown = new Shutdown();
  private final TestingServer server =
      new TestingServer(
          Route.get("/v1/pty", exchange -> PtyHandler.connect(exchange, run, shutdown))
              .taking("from", "key")
              .open(Access.KEY_OR_QUERY)
              .streaming());
  private final Received received = new Received();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void bytesGoBothWays() throws Exception {
    WebSocket socket = connect("");
    run.with(new RunEvent.Started("run_1", 7), new RunEvent.Stdout(0, "$ ", null));
    assertThat(received.binary()).isEqualTo("$ ");
    for (String input : new String[] {"ls\n", "ü", "x".repeat(100_000)}) {
      socket
          .sendBinary(ByteBuffer.wrap(input.getBytes(StandardCharsets.UTF_8)), true)
          .get(5, TimeUnit.SECONDS);
      StringBuilder echoed = new StringBuilder();
      while (echoed.length() < input.length()) {
        echoed.append(received.binary());
      }
      assertThat(echoed.toString()).isEqualTo(input);
    }
    socket.abort();
  }

  @Test
  void textFramesResize() throws Exception {
    WebSocket socket = connect("");
    socket.sendText("{\"rows\":40,\"columns\":120}", true).get(5, TimeUnit.SECONDS);
    assertThat(run.sizes.poll(5, TimeUnit.SECONDS)).isEqualTo(new TerminalSize(40, 120));
    socket.sendText("nonsense", true).get(5, TimeUnit.SECONDS);
    assertThat(received.next()).startsWith("closed 1007");
  }

  @Test
  void endIsTheLastFrame() throws Exception {
    connect("");
    run.with(new RunEvent.Stdout(0, null, "/w=="), FakeRun.END);
    assertThat(received.next()).isEqualTo("binary");
    assertThat(received.next()).startsWith("{\"type\":\"end\",\"status\":\"ok\"");
    assertThat(received.next()).startsWith("closed 1000");
  }

  @Test
  void pingsKeepASilentTerminalOpenAndInputStillWorks() throws Exception {
    WebSocket socket = connect("");
    assertThat(received.pings.poll(5, TimeUnit.SECONDS)).isNotNull();
    assertThat(received.pings.poll(5, TimeUnit.SECONDS)).isNotNull();
    socket.sendBinary(ByteBuffer.wrap(new byte[] {'a'}), true).get(5, TimeUnit.SECONDS);
    assertThat(received.binary()).isEqualTo("a");
    socket.abort();
  }

  @Test
  void keyMayStandInTheQuery() throws Exception {
    WebSocket socket =
        server
            .client()
            .newWebSocketBuilder()
            .buildAsync(uri("?from=3&key=" + TestingServer.KEY), received)
            .get(5, TimeUnit.SECONDS);
    socket.abort();
  }

  @Test
  void strangersAreRefused() {
    assertThatThrownBy(
            () ->
                server
                    .client()
                    .newWebSocketBuilder()
                    .buildAsync(uri("?key=nope"), received)
                    .get(5, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("Handshake");
  }

  @Test
  void pagesOfOtherOriginsAreRefused() throws Exception {
    assertThat(upgrade("Origin: http://evil.example\r\n")).startsWith("HTTP/1.1 403");
    assertThat(upgrade("Origin: null\r\n")).startsWith("HTTP/1.1 403");
    assertThat(upgrade("Origin: http://localhost:1\r\n")).startsWith("HTTP/1.1 101");
  }

  @Test
  void plainRequestsAreToldToUpgrade() throws Exception {
    assertThat(server.get("/v1/pty").statusCode()).isEqualTo(400);
    assertThat(server.get("/v1/pty").body()).contains("WebSocket");
  }

  @Test
  void stoppingServerSaysGoodbye() throws Exception {
    connect("");
    shutdown.begin();
    assertThat(received.next()).startsWith("closed 1001");
  }

  private String upgrade(String headers) throws Exception {
    run.with(FakeRun.END);
    return server.raw(
        "GET /v1/pty HTTP/1.1\r\nHost: localhost:1\r\nX-API-Key: e2b_alpha\r\n"
            + headers
            + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            // A masked close frame, so that the server closes too.
            + "\u0088\u0080\0\0\0\0");
  }

  private WebSocket connect(String query) throws Exception {
    return server
        .client()
        .newWebSocketBuilder()
        .header("Authorization", "Bearer " + TestingServer.KEY)
        .buildAsync(uri(query), received)
        .get(5, TimeUnit.SECONDS);
  }

  private URI uri(String query) {
    return URI.create("ws://127.0.0.1:" + server.port() + "/v1/pty" + query);
  }

  private static final class Received implements WebSocket.Listener {
    final BlockingQueue<String> frames = new LinkedBlockingQueue<>();
    final BlockingQueue<String> binaries = new LinkedBlockingQueue<>();
    final BlockingQueue<String> pings = new LinkedBlockingQueue<>();
    private final ByteArrayOutputStream partial = new ByteArrayOutputStream();
    private final StringBuilder text = new StringBuilder();

    String next() throws InterruptedException {
      return String.valueOf(frames.poll(5, TimeUnit.SECONDS));
    }

    String binary() throws InterruptedException {
      return String.valueOf(binaries.poll(5, TimeUnit.SECONDS));
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
      byte[] bytes = new byte[data.remaining()];
      data.get(bytes);
      partial.writeBytes(bytes);
      if (last) {
        binaries.add(partial.toString(StandardCharsets.UTF_8));
        frames.add("binary");
        partial.reset();
      }
      return WebSocket.Listener.super.onBinary(socket, data, last);
    }

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        frames.add(text.toString());
        text.setLength(0);
      }
      return WebSocket.Listener.super.onText(socket, data, last);
    }

    @Override
    public CompletionStage<?> onPing(WebSocket socket, ByteBuffer message) {
      pings.add("ping");
      return WebSocket.Listener.super.onPing(socket, message);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
      frames.add("closed " + status + " " + reason);
      return WebSocket.Listener.super.onClose(socket, status, reason);
    }
  }
}
