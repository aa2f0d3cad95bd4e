package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.PortForward;
import dev.atoll.sdk.PortStream;
import dev.atoll.sdk.SandboxPorts;
import dev.atoll.server.EngineFixture.Answer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Who is let in to a port, and what happens to connections when a sandbox moves. */
@Timeout(60)
final class PortAccessTest {
  private static final Pattern COOKIE = Pattern.compile("Set-Cookie: (atoll_port=[^;]+);");

  @TempDir Path folder;
  private PortFixture ports = unset();

  @SuppressWarnings("NullAway")
  private static PortFixture unset() {
    return null;
  }

  @BeforeEach
  void start() throws Exception {
    ports = new PortFixture(folder, "--ports.idle-timeout=2s");
  }

  @AfterEach
  void stop() {
    ports.close();
  }

  /** A request without a key. */
  private Answer anonymous(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(ports.server.url(path));
    return ports.server.send(headers.length == 0 ? request : request.headers(headers));
  }

  @Test
  void portsAreListedWithWhereTheyAre() throws Exception {
    try (FakeProgram program = FakeProgram.answering(FakeProgram.HELLO)) {
      assertThat(ports.server.get(ports.path + "/ports").json().get("items")).isEmpty();
      ports.listen(program);
      JsonNode port = ports.server.get(ports.path + "/ports").json().at("/items/0");
      assertThat(port.get("port").asInt()).isEqualTo(program.port());
      assertThat(port.get("program").asString()).isEqualTo("listen");
      assertThat(port.get("listening").asBoolean()).isTrue();
      assertThat(port.get("access").asString()).isEqualTo("private");
      assertThat(port.get("url").asString()).isEqualTo("http://" + ports.host(program) + "/");
      ports.server.put(
          ports.path + "/ports/9", "{\"access\":\"public\"}".getBytes(StandardCharsets.UTF_8));
      JsonNode open = ports.server.get(ports.path + "/ports").json().at("/items/0");
      assertThat(open.get("port").asInt()).isEqualTo(9);
      assertThat(open.get("listening").asBoolean()).isFalse();
    }
  }

  @Test
  void aPrivatePortNeedsAKeyOrAToken() throws Exception {
    try (FakeProgram program = FakeProgram.answering(FakeProgram.HELLO)) {
      String path = ports.listen(program) + "/";
      assertThat(anonymous(path).status()).isEqualTo(401);
      assertThat(anonymous(path).code()).isEqualTo("unauthenticated");
      assertThat(anonymous(path, "X-API-Key", "e2b_wrong").status()).isEqualTo(401);
      assertThat(anonymous(path, "X-Atoll-Token", "apt_wrong").status()).isEqualTo(401);
      assertThat(anonymous(path, "Authorization", "Bearer of-the-program").status()).isEqualTo(401);
      String token = ports.token(program);
      assertThat(anonymous(path, "X-Atoll-Token", token).body()).isEqualTo("hello");
      assertThat(anonymous(path + "?atoll_token=" + token).body()).isEqualTo("hello");
      assertThat(anonymous(path, "Cookie", "atoll_port=" + token).status())
          .as("below a path there is no cookie")
          .isEqualTo(401);
      assertThat(anonymous(ports.path + "/ports/9/", "X-Atoll-Token", token).status())
          .as("another port")
          .isEqualTo(401);
      Answer page = anonymous(path, "Accept", "text/html");
      assertThat(page.body()).contains("<h1>This port is private</h1>");
      String other = ports.server.sandbox();
      assertThat(
              anonymous(other + "/ports/" + program.port() + "/", "X-Atoll-Token", token).status())
          .isEqualTo(401);
    }
  }

  @Test
  void aBrowserKeepsTheTokenAsACookieOfTheHost() throws Exception {
    try (FakeProgram program = FakeProgram.answering(FakeProgram.HELLO)) {
      ports.listen(program);
      JsonNode share = ports.share(program, ",\"ttlSeconds\":600").json();
      String host = ports.host(program);
      String token = share.get("token").asString();
      assertThat(share.get("url").asString())
          .isEqualTo("http://" + host + "/?atoll_token=" + token);
      String first = ports.get(host, "/a?x=1&atoll_token=" + token, "Accept: text/html,*/*");
      assertThat(first)
          .startsWith("HTTP/1.1 302")
          .contains("Location: /a?x=1\r\n")
          .contains("; Path=/; HttpOnly; SameSite=Lax\r\n");
      Matcher cookie = COOKIE.matcher(first);
      assertThat(cookie.find()).isTrue();
      String sent = "Cookie: own=1; " + cookie.group(1);
      assertThat(ports.get(host, "/a?x=1", sent)).endsWith("hello");
      assertThat(program.head()).contains("Cookie: own=1\r\n").doesNotContain("apt_");
      assertThat(ports.get(host, "/?atoll_token=apt_old", sent)).endsWith("hello");
      assertThat(ports.get(host, "/?atoll_token=" + token)).as("no browser").endsWith("hello");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Sec-Fetch-Site: same-origin, 200",
    "Sec-Fetch-Site: none, 200",
    "Sec-Fetch-Site: same-site, 403",
    "Sec-Fetch-Site: cross-site, 403",
    "Origin: http://other.localhost, 403"
  })
  void pagesOfOthersDoNotUseTheCookie(String header, int status) throws Exception {
    try (FakeProgram program = FakeProgram.answering(FakeProgram.HELLO)) {
      ports.listen(program);
      String cookie = "Cookie: atoll_port=" + ports.token(program);
      assertThat(ports.get(ports.host(program), "/", cookie, header))
          .startsWith("HTTP/1.1 " + status);
      assertThat(ports.get(ports.host(program), "/", cookie, header, "Sec-Fetch-Mode: navigate"))
          .startsWith("HTTP/1.1 " + (header.startsWith("Origin") ? 403 : 200));
    }
  }

  @Test
  void tokensAreTakenBackAndRunOut() throws Exception {
    try (FakeProgram program = FakeProgram.answering(FakeProgram.HELLO)) {
      String path = ports.listen(program) + "/";
      JsonNode share = ports.share(program, "").json();
      String token = share.get("token").asString();
      JsonNode listed = ports.server.get(ports.path + "/shares").json().get("items");
      assertThat(listed).hasSize(1);
      assertThat(listed.get(0).has("token")).isFalse();
      String id = share.get("id").asString();
      assertThat(ports.server.delete(ports.path + "/shares/" + id).status()).isEqualTo(204);
      assertThat(ports.server.delete(ports.path + "/shares/" + id).status()).isEqualTo(404);
      assertThat(anonymous(path, "X-Atoll-Token", token).status()).isEqualTo(401);
      String brief = ports.share(program, ",\"ttlSeconds\":1").json().get("token").asString();
      while (anonymous(path, "X-Atoll-Token", brief).status() == 200) {
        Thread.sleep(50);
      }
      assertThat(ports.share(program, ",\"ttlSeconds\":0").status()).isEqualTo(400);
      assertThat(ports.server.post(ports.path + "/shares", "{}").status()).isEqualTo(400);
    }
  }

  @Test
  void whatIsPublicAndSharedSurvivesARestartAndIsNotInherited() throws Exception {
    try (FakeProgram program = FakeProgram.answering(FakeProgram.HELLO)) {
      String path = ports.listen(program) + "/";
      String token = ports.token(program);
      ports.access(program, "public");
      assertThat(anonymous(path).body()).isEqualTo("hello");
      ports.server.restart();
      assertThat(anonymous(path).body()).isEqualTo("hello");
      String child =
          ports.server.post(ports.path + "/fork", "{}").json().at("/children/0/id").asString();
      String ofChild = "/v1/sandboxes/" + child + "/ports/" + program.port() + "/";
      assertThat(anonymous(ofChild).status()).isEqualTo(401);
      assertThat(ports.server.get(ofChild).body()).isEqualTo("hello");
      ports.access(program, "private");
      assertThat(anonymous(path).status()).isEqualTo(401);
      assertThat(anonymous(path, "X-Atoll-Token", token).body()).isEqualTo("hello");
      ports.server.delete(ports.path);
      assertThat(anonymous(path, "X-Atoll-Token", token).status()).isEqualTo(401);
      assertThat(ports.server.get(path).status()).isEqualTo(410);
    }
  }

  @Test
  void otherProjectsHaveNoSuchSandbox() throws Exception {
    try (FakeProgram program = FakeProgram.answering(FakeProgram.HELLO)) {
      ports.listen(program);
      String other =
          String.valueOf(ports.server.server().engine().keys().create("other", "k").secret());
      String path = ports.path + "/ports";
      assertThat(anonymous(path + "/" + program.port() + "/", "X-API-Key", other).code())
          .isEqualTo("sandbox_not_found");
      assertThat(anonymous(path, "X-API-Key", other).code()).isEqualTo("sandbox_not_found");
      assertThat(ports.get(ports.host(program), "/", "X-API-Key: " + other))
          .startsWith("HTTP/1.1 404");
    }
  }

  @Test
  void aRequestWakesAHibernatedSandbox() throws Exception {
    try (FakeProgram program = FakeProgram.answering(FakeProgram.HELLO)) {
      String path = ports.listen(program) + "/";
      ports.server.post(ports.path + "/hibernate", "");
      assertThat(ports.server.get(ports.path).json().get("state").asString())
          .isEqualTo("hibernated");
      assertThat(ports.server.get(path).body()).isEqualTo("hello");
      assertThat(ports.server.get(ports.path).json().get("state").asString()).isEqualTo("running");
    }
  }

  @Test
  void openConnectionsSurviveAForkAndEndWithTheirMachine() throws Exception {
    try (FakeProgram program =
        new FakeProgram(
            caller -> {
              caller.head();
              caller.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
              for (int n = caller.in().read(); n >= 0; n = caller.in().read()) {
                caller.say(new byte[] {(byte) n});
              }
            })) {
      ports.listen(program);
      try (PortStream stream = sdk().connect(program.port())) {
        stream.output().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        FakeProgram.readHead(stream.input());
        Answer fork = ports.server.post(ports.path + "/fork", "{}");
        assertThat(fork.status()).as(fork.body()).isLessThan(300);
        stream.output().write('x');
        assertThat(stream.input().read()).isEqualTo('x');
        ports.server.post(ports.path + "/hibernate", "");
        assertThatThrownBy(() -> stream.input().read()).isInstanceOf(IOException.class);
      }
      try (PortStream again = sdk().connect(program.port())) {
        again.output().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
        assertThat(FakeProgram.readHead(again.input())).startsWith("HTTP/1.1 200");
      }
    }
  }

  @Test
  void aSilentConnectionIsClosed() throws Exception {
    try (FakeProgram program = new FakeProgram(caller -> caller.in().readAllBytes())) {
      ports.listen(program);
      try (PortStream stream = sdk().connect(program.port())) {
        assertThatThrownBy(() -> stream.input().read())
            .isInstanceOf(IOException.class)
            .hasMessageContaining("no byte passed");
      }
      assertThat(program.end()).isNotEmpty();
    }
  }

  private SandboxPorts sdk() {
    return Atoll.builder()
        .url(ports.server.url("").toString())
        .apiKey(ports.server.key())
        .build()
        .sandboxes()
        .handle(ports.id())
        .ports();
  }

  @Test
  void anyProtocolPassesThroughAForwardedPort() throws Exception {
    byte[] large = new byte[3 << 20];
    new Random(2).nextBytes(large);
    try (FakeProgram program =
            new FakeProgram(
                caller -> {
                  byte[] all = caller.in().readAllBytes();
                  caller.say(all);
                });
        PortForward forward = sdk().forward(0, program.port())) {
      ports.listen(program);
      try (Socket socket =
          new Socket(InetAddress.getLoopbackAddress(), forward.local().getPort())) {
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write(large);
        socket.shutdownOutput();
        assertThat(Arrays.equals(socket.getInputStream().readAllBytes(), large)).isTrue();
      }
      assertThat(program.end()).isEqualTo("end");
    }
  }

  @Test
  void aConnectionThatCannotBeMadeIsExplained() throws Exception {
    assertThatThrownBy(() -> sdk().connect(9))
        .hasMessageContaining("nothing in the sandbox listens on port 9");
    assertThat(ports.server.get(ports.path + "/tcp/0").status()).isEqualTo(400);
    assertThat(ports.server.get(ports.path + "/ports/65536").status()).isEqualTo(400);
    assertThat(ports.server.get(ports.path + "/ports/x").status()).isEqualTo(400);
    try (FakeProgram program = FakeProgram.answering(FakeProgram.HELLO)) {
      ports.listen(program);
      assertThat(ports.server.get(ports.path + "/tcp/" + program.port()).code())
          .isEqualTo("bad_request");
    }
  }

  @Test
  void anOpenAnswerEndsWithTheServer() throws Exception {
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
      ports.server.restart();
      assertThatThrownBy(() -> answer.body().readAllBytes()).isInstanceOf(IOException.class);
      assertThat(program.end()).isNotEmpty();
    }
  }
}
