package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.server.EngineFixture.Answer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What passes between callers and programs behind ports, down to a fake guest and back. */
@Timeout(60)
final class PortProxyTest {

  @TempDir Path folder;
  private PortFixture ports = unset();

  @SuppressWarnings("NullAway")
  private static PortFixture unset() {
    return null;
  }

  @BeforeEach
  void start() throws Exception {
    ports = new PortFixture(folder, "--ports.max-connections=4");
  }

  @AfterEach
  void stop() {
    ports.close();
  }

  private Answer get(String path) throws Exception {
    return ports.server.get(path);
  }

  @Test
  void belowAPathTheProgramSeesItsOwnPathAndWhereItCameFrom() throws Exception {
    try (FakeProgram program = FakeProgram.answering(FakeProgram.HELLO)) {
      String path = ports.listen(program);
      Answer answer =
          ports.server.send(
              ports
                  .server
                  .request(path + "/a%2Fb/c?x=1&atoll_token=apt_wrong&y=%20")
                  .header("Cookie", "a=1; atoll_port=apt_secret; b=2")
                  .header("X-Atoll-Token", "apt_wrong")
                  .header("Authorization", "Bearer of-the-program")
                  .header("X-Own", "kept")
                  .header("TE", "trailers"));
      assertThat(answer.body()).isEqualTo("hello");
      String head = program.head();
      assertThat(head).startsWith("GET /a%2Fb/c?x=1&y=%20 HTTP/1.1\r\n");
      assertThat(head)
          .contains("Host: localhost:" + program.port() + "\r\n")
          .contains("X-Forwarded-Host: 127.0.0.1:" + ports.server.url("").getPort() + "\r\n")
          .contains("X-Forwarded-Proto: http\r\n")
          .contains("X-Forwarded-For: 127.0.0.1\r\n")
          .contains("X-Forwarded-Prefix: " + path + "\r\n")
          .containsIgnoringCase("Authorization: Bearer of-the-program\r\n")
          .containsIgnoringCase("X-Own: kept\r\n")
          .containsIgnoringCase("Cookie: a=1; b=2\r\n")
          .contains("Connection: close\r\n");
      assertThat(head.toLowerCase(Locale.ROOT))
          .doesNotContain("apt_", "e2b_", "x-api-key", "\nte:", "upgrade");
    }
  }

  @Test
  void asAHostTheProgramHasAllPaths() throws Exception {
    try (FakeProgram program = FakeProgram.answering(FakeProgram.HELLO)) {
      ports.listen(program);
      String key = "Authorization: Bearer " + ports.server.key();
      String host = ports.host(program);
      String answer =
          ports.get(
              host, "/v1/keys", key, "Connection: X-Hop", "X-Hop: 1", "Origin: http://" + host);
      assertThat(answer).startsWith("HTTP/1.1 200").endsWith("\r\n\r\nhello");
      assertThat(answer).doesNotContain("Content-Security-Policy");
      assertThat(program.head())
          .startsWith("GET /v1/keys HTTP/1.1\r\n")
          .contains("X-Forwarded-Host: " + host + "\r\n")
          .contains("Origin: http://localhost:" + program.port() + "\r\n")
          .doesNotContain("X-Hop", "X-Forwarded-Prefix", "e2b_");
      assertThat(ports.get(host.replace("-sbx-", "-sbx_"), "/", key, "Origin: http://other.test"))
          .startsWith("HTTP/1.1 200");
      assertThat(program.head()).contains("Origin: http://other.test\r\n");
      assertThat(ports.get(host.toUpperCase(Locale.ROOT), "/", key)).startsWith("HTTP/1.1 200");
      assertThat(ports.get("x.localhost", "/v1/server", key)).startsWith("HTTP/1.1 403");
    }
  }

  @Test
  void bodiesGoUpCountedAndInChunks() throws Exception {
    try (FakeProgram program =
        new FakeProgram(
            caller -> {
              String head = caller.head();
              String body =
                  head.contains("chunked") ? chunked(caller.in()) : counted(head, caller.in());
              caller.say("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
            })) {
      String path = ports.listen(program) + "/";
      assertThat(ports.server.post(path, "counted").body()).isEqualTo("counted");
      assertThat(program.head()).contains("Content-Length: 7\r\n");
      HttpRequest.Builder streamed =
          ports
              .server
              .request(path)
              .POST(
                  BodyPublishers.ofInputStream(
                      () ->
                          new ByteArrayInputStream("in chunks".getBytes(StandardCharsets.UTF_8))));
      assertThat(ports.server.send(streamed).body()).isEqualTo("in chunks");
      assertThat(ports.server.post(path, "").body()).isEmpty();
    }
  }

  private static String counted(String head, InputStream in) throws IOException {
    Matcher length = Pattern.compile("Content-Length: (\\d+)").matcher(head);
    return length.find()
        ? new String(in.readNBytes(Integer.parseInt(length.group(1))), StandardCharsets.UTF_8)
        : "";
  }

  private static String chunked(InputStream in) throws IOException {
    StringBuilder body = new StringBuilder();
    while (true) {
      StringBuilder line = new StringBuilder();
      for (int c = in.read(); c != '\n'; c = in.read()) {
        line.append((char) c);
      }
      int size = Integer.parseInt(line.toString().strip(), 16);
      body.append(new String(in.readNBytes(size), StandardCharsets.UTF_8));
      in.readNBytes(2);
      if (size == 0) {
        return body.toString();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.0 200 OK\r\nX-A: 1\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-A: 1\r\nKeep-Alive: timeout=5\r\nConnection: keep-alive\r\n\r\nbody",
      })
  void bodiesComeDownHoweverTheyEnd(String said) throws Exception {
    try (FakeProgram program = FakeProgram.answering(said)) {
      Answer answer = get(ports.listen(program) + "/");
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("body");
      assertThat(answer.header("X-A")).isEqualTo("1");
      assertThat(answer.header("Keep-Alive")).isEmpty();
    }
  }

  @Test
  void answersWithoutABodyHaveNone() throws Exception {
    try (FakeProgram program =
        new FakeProgram(
            caller -> {
              String head = caller.head();
              if (head.startsWith("HEAD")) {
                caller.say("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
              } else if (head.contains("/204")) {
                caller.say("HTTP/1.1 204 No Content\r\n\r\n");
              } else {
                caller.say("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 9\r\n\r\n");
              }
              caller.in().read();
            })) {
      String path = ports.listen(program);
      Answer head =
          ports.server.send(
              ports.server.request(path + "/").method("HEAD", BodyPublishers.noBody()));
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.header("Content-Length")).isEqualTo("1000");
      assertThat(get(path + "/204").status()).isEqualTo(204);
      assertThat(get(path + "/304").header("ETag")).isEqualTo("\"x\"");
    }
  }

  @Test
  void whoAsksBeforeSendingIsToldByTheProgram() throws Exception {
    try (FakeProgram program =
        new FakeProgram(
            caller -> {
              String head = caller.head();
              assertThat(head).containsIgnoringCase("Expect: 100-continue");
              if (head.contains("/no")) {
                caller.say("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
                return;
              }
              if (head.contains("/yes")) {
                caller.say("HTTP/1.1 100 Continue\r\n\r\n");
              }
              // A program that never says is sent the body after a while.
              caller.in().readNBytes(4);
              caller.say(FakeProgram.HELLO);
            })) {
      ports.listen(program);
      String key = "X-API-Key: " + ports.server.key();
      for (String wish : new String[] {"/yes", "/silent"}) {
        try (Socket socket = ports.connect()) {
          expecting(socket, ports.host(program), wish, key);
          InputStream in = socket.getInputStream();
          assertThat(FakeProgram.readHead(in)).startsWith("HTTP/1.1 100");
          socket.getOutputStream().write("body".getBytes(StandardCharsets.UTF_8));
          assertThat(FakeProgram.readHead(in)).startsWith("HTTP/1.1 200");
        }
      }
      try (Socket socket = ports.connect()) {
        expecting(socket, ports.host(program), "/no", key);
        assertThat(FakeProgram.readHead(socket.getInputStream())).startsWith("HTTP/1.1 413");
      }
    }
  }

  private static void expecting(Socket socket, String host, String target, String key)
      throws IOException {
    socket
        .getOutputStream()
        .write(
            "POST %s HTTP/1.1\r\nHost: %s\r\n%s\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"
                .formatted(target, host, key)
                .getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void anAnswerBeforeTheEndOfTheBodyIsPassedOn() throws Exception {
    try (FakeProgram program =
        new FakeProgram(
            caller -> {
              caller.head();
              caller.say("HTTP/1.1 403 No\r\nContent-Length: 3\r\n\r\nno!");
            })) {
      String path = ports.listen(program);
      HttpRequest.Builder large =
          ports.server.request(path + "/").POST(BodyPublishers.ofByteArray(new byte[8 << 20]));
      Answer answer = ports.server.send(large);
      assertThat(answer.status()).isEqualTo(403);
      assertThat(answer.body()).isEqualTo("no!");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "HTTP/1.1 200",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        "\u0000\u0001\u0002\u0003\n\n\n",
      })
  void whatIsNoAnswerIsToldAsSuch(String said) throws Exception {
    try (FakeProgram program = FakeProgram.answering(said)) {
      Answer answer = get(ports.listen(program) + "/");
      assertThat(answer.status()).isEqualTo(502);
      assertThat(answer.code()).isEqualTo("port_failed");
    }
  }

  @Test
  void aHeadThatIsTooLargeIsRefusedAndOneThatIsLargeIsNot() throws Exception {
    try (FakeProgram program =
        new FakeProgram(
            caller -> {
              int size = caller.head().contains("/huge") ? 40_000 : 20_000;
              caller.say(
                  "HTTP/1.1 200 OK\r\nX-Large: "
                      + "x".repeat(size)
                      + "\r\nContent-Length: 0\r\n\r\n");
            })) {
      String path = ports.listen(program);
      Answer large = get(path + "/large");
      assertThat(large.status()).as(large.body()).isEqualTo(200);
      assertThat(large.header("X-Large")).hasSize(20_000);
      assertThat(get(path + "/huge").code()).isEqualTo("port_failed");
    }
  }

  @Test
  void halfAnAnswerIsNotTakenForAWholeOne() throws Exception {
    try (FakeProgram program =
        FakeProgram.answering("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")) {
      String path = ports.listen(program);
      assertThatThrownBy(() -> get(path + "/")).isInstanceOf(IOException.class);
    }
  }

  @Test
  void partsOfAnAnswerArriveWhenTheyAreSaid() throws Exception {
    CompletableFuture<String> seen = new CompletableFuture<>();
    try (FakeProgram program =
        new FakeProgram(
            caller -> {
              caller.head();
              caller.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
              seen.get(20, TimeUnit.SECONDS);
              caller.say("data: 1\n\n");
              caller.in().read();
            })) {
      String path = ports.listen(program);
      HttpResponse<InputStream> answer =
          ports
              .server
              .client()
              .send(ports.server.request(path + "/events").build(), BodyHandlers.ofInputStream());
      // The head is here although nothing of the body was said.
      seen.complete("head");
      assertThat(new String(answer.body().readNBytes(9), StandardCharsets.UTF_8))
          .isEqualTo("data: 1\n\n");
      answer.body().close();
    }
  }

  @Test
  void aCallerWhoLeavesIsNoticedByTheProgram() throws Exception {
    try (FakeProgram program =
        new FakeProgram(
            caller -> {
              caller.head();
              caller.say("HTTP/1.1 200 OK\r\nContent-Type: x/y\r\n\r\n");
              while (true) {
                caller.say(new byte[65_536]);
              }
            })) {
      String path = ports.listen(program);
      HttpResponse<InputStream> answer =
          ports
              .server
              .client()
              .send(ports.server.request(path + "/").build(), BodyHandlers.ofInputStream());
      assertThat(answer.body().read()).isZero();
      answer.body().close();
      assertThat(program.end()).contains("Exception");
    }
  }

  @Test
  void largeBodiesPassBothWays() throws Exception {
    byte[] large = new byte[24 << 20];
    new Random(1).nextBytes(large);
    try (FakeProgram program =
        new FakeProgram(
            caller -> {
              assertThat(caller.head()).contains("Content-Length: " + large.length);
              byte[] all = caller.in().readNBytes(large.length);
              caller.say("HTTP/1.1 200 OK\r\nContent-Length: " + large.length + "\r\n\r\n");
              caller.say(all);
            })) {
      String path = ports.listen(program);
      HttpResponse<byte[]> echoed =
          ports
              .server
              .client()
              .send(
                  ports.server.request(path + "/").POST(BodyPublishers.ofByteArray(large)).build(),
                  BodyHandlers.ofByteArray());
      assertThat(Arrays.equals(echoed.body(), large)).isTrue();
    }
  }

  @Test
  void anUpgradeBecomesATunnel() throws Exception {
    try (FakeProgram program =
        new FakeProgram(
            caller -> {
              assertThat(caller.head())
                  .contains("Connection: Upgrade\r\n")
                  .contains("Upgrade: echo\r\n");
              caller.say(
                  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\nX-A: 1\r\n\r\nfirst");
              byte[] buffer = new byte[1000];
              for (int n = caller.in().read(buffer); n >= 0; n = caller.in().read(buffer)) {
                caller.say(Arrays.copyOf(buffer, n));
              }
              caller.say("bye");
            })) {
      ports.listen(program);
      try (Socket socket = ports.connect()) {
        String request =
            "GET /ws HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\nConnection: keep-alive, Upgrade\r\nUpgrade: echo\r\n\r\nearly"
                .formatted(ports.host(program), ports.server.key());
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        InputStream in = socket.getInputStream();
        assertThat(FakeProgram.readHead(in))
            .startsWith("HTTP/1.1 101")
            .contains("Upgrade: echo\r\n")
            .contains("Connection: Upgrade\r\n")
            .contains("X-A: 1\r\n");
        assertThat(new String(in.readNBytes(10), StandardCharsets.UTF_8)).isEqualTo("firstearly");
        socket.getOutputStream().write("echo".getBytes(StandardCharsets.UTF_8));
        assertThat(new String(in.readNBytes(4), StandardCharsets.UTF_8)).isEqualTo("echo");
        socket.shutdownOutput();
        assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("bye");
      }
      assertThat(program.end()).isEqualTo("end");
    }
  }

  @Test
  void aRefusedUpgradeIsAnAnswerLikeAnyOther() throws Exception {
    try (FakeProgram program =
        FakeProgram.answering("HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n")) {
      ports.listen(program);
      assertThat(
              ports.get(
                  ports.host(program),
                  "/",
                  "X-API-Key: " + ports.server.key(),
                  "Connection: Upgrade",
                  "Upgrade: websocket"))
          .startsWith("HTTP/1.1 426");
    }
  }

  @Test
  void addressesAndCookiesOfTheProgramAreMadeToFit() throws Exception {
    try (FakeProgram program =
        new FakeProgram(
            caller -> {
              caller.head();
              caller.say(
                  """
                  HTTP/1.1 302 Found
                  Location: http://localhost:%d/next?a=b
                  Set-Cookie: a=1; Domain=localhost; Path=/app; HttpOnly
                  Set-Cookie: atoll_port=stolen
                  Set-Cookie: b=2
                  Clear-Site-Data: "*"
                  Alt-Svc: h2=":1"
                  Content-Length: 0

                  """
                      .replace("\n", "\r\n")
                      .formatted(caller.port()));
            })) {
      String path = ports.listen(program);
      Answer below = get(path + "/");
      assertThat(below.header("Location")).isEqualTo(path + "/next?a=b");
      assertThat(below.response().headers().allValues("Set-Cookie"))
          .containsExactly("a=1; HttpOnly; Path=" + path + "/app", "b=2; Path=" + path + "/");
      assertThat(below.header("Clear-Site-Data") + below.header("Alt-Svc")).isEmpty();
      assertThat(below.header("Content-Security-Policy"))
          .startsWith("sandbox allow-scripts")
          .doesNotContain("allow-same-origin");
      String asHost = ports.get(ports.host(program), "/", "X-API-Key: " + ports.server.key());
      assertThat(asHost)
          .contains("Location: /next?a=b\r\n")
          .contains("Set-Cookie: a=1; Path=/app; HttpOnly\r\n")
          .contains("Set-Cookie: b=2\r\n")
          .contains("Clear-Site-Data")
          .doesNotContain("stolen", "Alt-Svc");
    }
  }

  @Test
  void whereNothingListensTheOtherPortsAreNamed() throws Exception {
    try (FakeProgram program = FakeProgram.answering(FakeProgram.HELLO)) {
      ports.listen(program);
      Answer answer = get(ports.path + "/ports/9/");
      assertThat(answer.status()).isEqualTo(502);
      assertThat(answer.code()).isEqualTo("port_not_listening");
      assertThat(answer.json().get("hint").asString()).contains("" + program.port());
      assertThat(answer.json().at("/details/listening/0").asInt()).isEqualTo(program.port());
      Answer page =
          ports.server.send(
              ports.server.request(ports.path + "/ports/9/").header("Accept", "text/html"));
      assertThat(page.status()).isEqualTo(502);
      assertThat(page.header("Content-Type")).startsWith("text/html");
      assertThat(page.body()).contains("<h1>Nothing in the sandbox listens on port 9</h1>");
    }
  }

  @Test
  void aSandboxHasOnlySoManyConnections() throws Exception {
    try (FakeProgram program = new FakeProgram(caller -> caller.in().readAllBytes())) {
      String path = ports.listen(program);
      List<Socket> open = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Socket socket = ports.connect();
        open.add(socket);
        socket
            .getOutputStream()
            .write(
                "POST / HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\nContent-Length: 9\r\n\r\n"
                    .formatted(ports.host(program), ports.server.key())
                    .getBytes(StandardCharsets.UTF_8));
      }
      while (!ports.server.get("/metrics").body().contains("atoll_ports_connections 4.0")) {
        Thread.sleep(10);
      }
      assertThat(get(path + "/").status()).isEqualTo(429);
      for (Socket socket : open) {
        socket.close();
      }
      while (!ports.server.get("/metrics").body().contains("atoll_ports_connections 0.0")) {
        Thread.sleep(10);
      }
    }
  }

  @Test
  void theProgramsConnectionsEndWithTheServerAndWithTheSandbox() throws Exception {
    try (FakeProgram program =
        new FakeProgram(
            caller -> {
              caller.head();
              caller.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
              caller.in().readAllBytes();
            })) {
      String path = ports.listen(program);
      HttpResponse<InputStream> answer =
          ports
              .server
              .client()
              .send(ports.server.request(path + "/").build(), BodyHandlers.ofInputStream());
      ports.server.delete(ports.path);
      assertThatThrownBy(() -> answer.body().readAllBytes()).isInstanceOf(IOException.class);
      assertThat(get(path + "/").status()).isEqualTo(410);
    }
  }
}
