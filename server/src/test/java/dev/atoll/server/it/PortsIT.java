package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.PortAccess;
import dev.atoll.model.PortShare;
import dev.atoll.model.SandboxState;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.PortForward;
import dev.atoll.sdk.PortStream;
import dev.atoll.sdk.Sandbox;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Programs that listen in real sandboxes, reached from outside in every way there is. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PortsIT {
  private static final int LARGE = 100 << 20;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private RealServer server;
  private Atoll atoll;

  @BeforeAll
  void start(@TempDir Path folder) throws IOException, InterruptedException {
    server = WebPrograms.server(folder);
    atoll = server.atoll();
  }

  @AfterAll
  void stop() throws IOException {
    client.close();
    server.close();
  }

  private HttpRequest.Builder below(Sandbox sandbox, int port, String target) {
    URI url =
        URI.create(
            atoll.endpoint().url() + "/v1/sandboxes/" + sandbox.id() + "/ports/" + port + target);
    return HttpRequest.newBuilder(url).header("X-API-Key", atoll.endpoint().apiKey());
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** As a browser does it: names below localhost are this machine. */
  private String asHost(String url, String... headers) throws IOException {
    URI uri = URI.create(url);
    assertThat(uri.getHost()).endsWith(".localhost");
    String target = uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri.getPort())) {
      String request =
          "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n"
              .formatted(
                  target,
                  uri.getAuthority(),
                  String.join("\r\n", headers) + (headers.length == 0 ? "" : "\r\n"));
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aPlainWebServerIsReachedBelowAPathAndAsAHost() throws Exception {
    try (Sandbox sandbox = WebPrograms.sandbox(atoll)) {
      sandbox.files().write("site/index.html", "<h1>inside</h1>");
      WebPrograms.start(
          sandbox,
          8000,
          "python3",
          "-m",
          "http.server",
          "8000",
          "--bind",
          "127.0.0.1",
          "-d",
          "site");
      assertThat(send(below(sandbox, 8000, "/")).body()).isEqualTo("<h1>inside</h1>");
      assertThat(send(below(sandbox, 8000, "/none")).statusCode()).isEqualTo(404);
      PortShare share = sandbox.ports().share(8000);
      assertThat(asHost(String.valueOf(share.url())))
          .contains("200 OK")
          .endsWith("<h1>inside</h1>");
      String url = sandbox.ports().url(8000);
      assertThat(asHost(url)).startsWith("HTTP/1.1 401");
      sandbox.ports().revoke(share.id());
      assertThat(asHost(String.valueOf(share.url()))).startsWith("HTTP/1.1 401");
      sandbox.ports().access(8000, PortAccess.PUBLIC);
      assertThat(asHost(url)).endsWith("<h1>inside</h1>");
      assertThat(send(below(sandbox, 8001, "/")).body())
          .contains("port_not_listening")
          .contains("8000");
    }
  }

  @Test
  void aRequestWakesAHibernatedSandboxAndFindsTheProgramThere() throws Exception {
    try (Sandbox sandbox = WebPrograms.sandbox(atoll)) {
      WebPrograms.start(sandbox, 8000, "python3", "-m", "http.server", "8000");
      sandbox.ports().access(8000, PortAccess.PUBLIC);
      sandbox.hibernate();
      assertThat(sandbox.info().state()).isEqualTo(SandboxState.HIBERNATED);
      assertThat(asHost(url(sandbox, 8000))).contains("Directory listing");
      assertThat(sandbox.info().state()).isEqualTo(SandboxState.RUNNING);
    }
  }

  private String url(Sandbox sandbox, int port) {
    URI own = atoll.endpoint().url();
    return "http://%d-%s.localhost:%d/"
        .formatted(port, sandbox.id().replace('_', '-'), own.getPort());
  }

  @Test
  void largeBodiesPassBothWaysToAProgramThatListensOnIpv6Alone() throws Exception {
    try (Sandbox sandbox = WebPrograms.sandbox(atoll)) {
      WebPrograms.start(sandbox, 8006, "python3", WebPrograms.install(sandbox, "bulk.py"), "8006");
      byte[] large = new byte[LARGE];
      new Random(6).nextBytes(large);
      String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(large));
      assertThat(send(below(sandbox, 8006, "/").PUT(BodyPublishers.ofByteArray(large))).body())
          .isEqualTo(digest);
      HttpResponse<InputStream> down =
          client.send(
              below(sandbox, 8006, "/bytes/" + LARGE).build(), BodyHandlers.ofInputStream());
      long count = 0;
      try (InputStream body = down.body()) {
        byte[] buffer = new byte[1 << 16];
        for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
          for (int i = 0; i < n; i += 4096) {
            assertThat(buffer[i] & 255).isEqualTo((int) ((count + i) & 255));
          }
          count += n;
        }
      }
      assertThat(count).isEqualTo(LARGE);
    }
  }

  @Test
  void eventsArriveOneByOneAndStopWithTheirReader() throws Exception {
    try (Sandbox sandbox = WebPrograms.sandbox(atoll)) {
      WebPrograms.start(sandbox, 8006, "python3", WebPrograms.install(sandbox, "bulk.py"), "8006");
      HttpResponse<InputStream> events =
          client.send(below(sandbox, 8006, "/events").build(), BodyHandlers.ofInputStream());
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(events.body(), StandardCharsets.UTF_8))) {
        assertThat(lines.readLine()).isEqualTo("data: 0");
        assertThat(lines.readLine()).isEmpty();
        assertThat(lines.readLine()).isEqualTo("data: 1");
      }
      awaitNoConnections(sandbox, 8006);
    }
  }

  /** What the guest's kernel knows of connections to a port, however it is listened on. */
  private static void awaitNoConnections(Sandbox sandbox, int port) throws InterruptedException {
    String count = "grep -h ':%04X .* 01 ' /proc/net/tcp /proc/net/tcp6 | wc -l".formatted(port);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!sandbox.shell(count).stdout().strip().equals("0")) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(100);
    }
  }

  @Test
  void aWebSocketOfNodeEchoes() throws Exception {
    try (Sandbox sandbox = WebPrograms.sandbox(atoll)) {
      WebPrograms.start(sandbox, 3000, "node", WebPrograms.install(sandbox, "echo.js"), "3000");
      Hearing heard = new Hearing();
      WebSocket socket =
          client
              .newWebSocketBuilder()
              .header("X-API-Key", atoll.endpoint().apiKey())
              .buildAsync(
                  URI.create(
                      below(sandbox, 3000, "/ws").build().uri().toString().replace("http", "ws")),
                  heard)
              .get(20, TimeUnit.SECONDS);
      socket.sendText("x".repeat(300), true).get(20, TimeUnit.SECONDS);
      assertThat(heard.next()).isEqualTo("echo: " + "x".repeat(300));
      socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get(20, TimeUnit.SECONDS);
      awaitNoConnections(sandbox, 3000);
    }
  }

  @Test
  void openConnectionsAreHarmlessToForksAndEndWhenTheMachineDoes() throws Exception {
    try (Sandbox sandbox = WebPrograms.sandbox(atoll)) {
      WebPrograms.start(sandbox, 8006, "python3", WebPrograms.install(sandbox, "bulk.py"), "8006");
      try (PortStream stream = sandbox.ports().connect(8006)) {
        stream
            .output()
            .write("GET /events HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(stream.input(), StandardCharsets.UTF_8));
        while (!lines.readLine().equals("data: 2")) {
          // The head, and the first events.
        }
        try (Sandbox child = sandbox.fork()) {
          assertThat(send(below(child, 8006, "/")).body()).isEqualTo("hello");
          awaitNoConnections(child, 8006);
          lines.readLine();
          assertThat(lines.readLine()).isEqualTo("data: 3");
        }
        sandbox.hibernate();
        assertThatThrownBy(() -> lines.lines().forEach(line -> {}))
            .hasRootCauseInstanceOf(IOException.class);
      }
      assertThat(send(below(sandbox, 8006, "/")).body()).isEqualTo("hello");
      awaitNoConnections(sandbox, 8006);
    }
  }

  @Test
  void anyProtocolIsForwarded() throws Exception {
    try (Sandbox sandbox = WebPrograms.sandbox(atoll)) {
      String echo =
          """
          import socketserver
          class Handler(socketserver.StreamRequestHandler):
              def handle(self):
                  self.wfile.write(self.rfile.read()[::-1])
          socketserver.ThreadingTCPServer(('127.0.0.1', 5555), Handler).serve_forever()
          """;
      sandbox.files().write("echo.py", echo);
      WebPrograms.start(sandbox, 5555, "python3", "echo.py");
      try (PortForward forward = sandbox.ports().forward(0, 5555);
          Socket socket = new Socket(InetAddress.getLoopbackAddress(), forward.local().getPort())) {
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write("backwards".getBytes(StandardCharsets.UTF_8));
        socket.shutdownOutput();
        assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
            .isEqualTo("sdrawkcab");
      }
    }
  }

  @Test
  void whatIsPublicOrSharedSurvivesTheServer() throws Exception {
    try (Sandbox sandbox = WebPrograms.sandbox(atoll)) {
      WebPrograms.start(sandbox, 8000, "python3", "-m", "http.server", "8000");
      String token = String.valueOf(sandbox.ports().share(8000).token());
      sandbox.ports().access(8000, PortAccess.PUBLIC);
      server.kill();
      server.start();
      atoll = server.atoll();
      assertThat(asHost(url(sandbox, 8000))).contains("Directory listing");
      sandbox.ports().access(8000, PortAccess.PRIVATE);
      assertThat(asHost(url(sandbox, 8000))).startsWith("HTTP/1.1 401");
      assertThat(asHost(url(sandbox, 8000), "X-Atoll-Token: " + token))
          .contains("Directory listing");
    }
  }
}
