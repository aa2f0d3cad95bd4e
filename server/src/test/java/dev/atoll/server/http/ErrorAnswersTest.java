package dev.atoll.server.http;

import static dev.atoll.server.http.TestingServer.error;
import static dev.atoll.server.http.TestingServer.header;
import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorBody;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxSpec;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ErrorAnswersTest {
  private TestingServer server = new TestingServer();

  @BeforeAll
  void start() {
    server.close();
    server = new TestingServer(routes());
  }

  private static Route[] routes() {
    return new Route[] {
      Route.get("/open", exchange -> exchange.text(200, "text/plain", "ok")).open(Access.OPEN),
      Route.get("/v1/thing/{id}", exchange -> exchange.json(200, Map.of("id", exchange.path("id"))))
          .taking("limit", "metadata."),
      Route.post(
          "/v1/thing/{id}", exchange -> exchange.json(200, exchange.body(SandboxSpec.class))),
      Route.post(
          "/v1/stream",
          exchange -> {
            try (InputStream body = exchange.input()) {
              throw new AtollException(
                  ErrorCode.TOO_LARGE, "too much after " + body.readNBytes(1 << 20).length);
            }
          }),
      Route.delete("/v1/thing/{id}", Exchange::noContent),
      Route.get("/v1/project", exchange -> exchange.text(200, "text/plain", exchange.project())),
      Route.get(
          "/v1/broken",
          exchange -> {
            throw new IllegalStateException("secret detail");
          }),
      Route.get(
          "/v1/quota",
          exchange -> {
            throw new AtollException(
                ErrorCode.QUOTA_EXCEEDED, "full", "wait", Map.of("retryAfterSeconds", 7), null);
          }),
      Route.get(
              "/v1/half",
              exchange -> {
                exchange.response().getHeaders().put("Content-Length", 100);
                exchange.output().write(new byte[10]);
                throw new IllegalStateException("in the middle");
              })
          .streaming(),
    };
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void everyAnswerHasARequestId() throws Exception {
    HttpResponse<String> fresh = server.get("/open");
    assertThat(header(fresh, "X-Request-Id")).matches("req_[0-9a-z]+");
    HttpResponse<String> given =
        server.send(server.request("/v1/nothing").header("X-Request-Id", "abc-1.2"));
    assertThat(header(given, "X-Request-Id")).isEqualTo("abc-1.2");
    assertThat(error(given).requestId()).isEqualTo("abc-1.2");
    HttpResponse<String> insane =
        server.send(server.request("/open").header("X-Request-Id", "a b<c>"));
    assertThat(header(insane, "X-Request-Id")).startsWith("req_");
  }

  @Test
  void unknownPathsAreNotFound() throws Exception {
    for (String path :
        List.of(
            "/nothing", "/v1", "/v1/", "/v1/thing", "/v1/thing/a/b", "/v1/thing/a/", "/open/")) {
      HttpResponse<String> response = server.get(path);
      assertThat(response.statusCode()).as(path).isEqualTo(404);
      assertThat(error(response).code()).isEqualTo(ErrorCode.NOT_FOUND);
    }
  }

  @Test
  void wrongMethodNamesTheRightOnes() throws Exception {
    HttpResponse<String> response =
        server.send(server.request("/v1/thing/a").PUT(BodyPublishers.noBody()));
    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(header(response, "Allow")).isEqualTo("DELETE, GET, HEAD, OPTIONS, POST");
    assertThat(error(response).code()).isEqualTo(ErrorCode.METHOD_NOT_ALLOWED);
  }

  @Test
  void optionsAndHeadAreAnswered() throws Exception {
    HttpResponse<String> options =
        server.send(server.request("/v1/thing/a").method("OPTIONS", BodyPublishers.noBody()));
    assertThat(options.statusCode()).isEqualTo(204);
    assertThat(header(options, "Allow")).contains("DELETE");
    HttpResponse<String> head =
        server.send(server.request("/v1/thing/a").method("HEAD", BodyPublishers.noBody()));
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
    assertThat(header(head, "Content-Length")).isEqualTo("10");
    HttpResponse<String> stream =
        server.send(server.request("/v1/half").method("HEAD", BodyPublishers.noBody()));
    assertThat(stream.statusCode()).isEqualTo(405);
  }

  @Test
  void keysAreNeededBelowV1AndNowhereElse() throws Exception {
    for (String path : List.of("/v1/project", "/v1/nothing", "/v1")) {
      HttpResponse<String> response = server.send(HttpRequest.newBuilder(server.url(path)));
      assertThat(response.statusCode()).as(path).isEqualTo(401);
      assertThat(header(response, "WWW-Authenticate")).startsWith("Bearer");
    }
    assertThat(server.send(HttpRequest.newBuilder(server.url("/open"))).statusCode())
        .isEqualTo(200);
  }

  @Test
  void allBadKeysLookTheSame() throws Exception {
    List<String> messages =
        List.of(
                "",
                "Bearer ",
                "Bearer e2b_other",
                "Basic e2b_alpha",
                "e2b_alpha",
                "Bearer " + "x".repeat(5000))
            .stream()
            .map(value -> refusal("Authorization", value))
            .distinct()
            .toList();
    assertThat(messages).hasSize(1);
    assertThat(refusal("X-API-Key", "nope")).isEqualTo(messages.get(0));
  }

  private String refusal(String header, String value) {
    try {
      HttpResponse<String> response =
          server.send(HttpRequest.newBuilder(server.url("/v1/project")).header(header, value));
      ErrorBody error = error(response);
      return response.statusCode() + error.code().wire() + error.message() + error.hint();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void keyDecidesTheProject() throws Exception {
    assertThat(server.get("/v1/project").body()).isEqualTo("alpha");
    assertThat(
            server
                .send(
                    HttpRequest.newBuilder(server.url("/v1/project"))
                        .header("X-API-Key", "e2b_beta"))
                .body())
        .isEqualTo("beta");
    assertThat(
            server
                .send(
                    HttpRequest.newBuilder(server.url("/v1/project"))
                        .header("Authorization", "bearer e2b_beta"))
                .body())
        .isEqualTo("beta");
  }

  @Test
  void brokenCodeShowsNothingOfItself() throws Exception {
    HttpResponse<String> response = server.get("/v1/broken");
    assertThat(response.statusCode()).isEqualTo(500);
    assertThat(error(response).code()).isEqualTo(ErrorCode.INTERNAL);
    assertThat(response.body()).doesNotContain("secret").doesNotContain("Exception");
    assertThat(error(response).requestId()).isEqualTo(header(response, "X-Request-Id"));
  }

  @Test
  void quotaSaysWhenToTryAgain() throws Exception {
    HttpResponse<String> response = server.get("/v1/quota");
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(header(response, "Retry-After")).isEqualTo("7");
  }

  @Test
  void halfAnAnswerIsCutOff() throws Exception {
    String answer =
        server.raw("GET /v1/half HTTP/1.1\r\nHost: localhost\r\nX-API-Key: e2b_alpha\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 200").doesNotContain("internal");
  }

  @Test
  void unknownQueryParametersAreRefused() throws Exception {
    HttpResponse<String> response = server.get("/v1/thing/a?limt=5");
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(error(response).code()).isEqualTo(ErrorCode.UNKNOWN_FIELD);
    assertThat(error(response).hint()).contains("limit");
    assertThat(server.get("/v1/thing/a?metadata.x=1&limit=2").statusCode()).isEqualTo(200);
    assertThat(server.get("/v1/thing/a?limit=1&limit=2").statusCode()).isEqualTo(400);
    assertThat(server.get("/v1/project?x").statusCode()).isEqualTo(400);
  }

  @Test
  void pathParametersAreDecodedAndChecked() throws Exception {
    assertThat(server.get("/v1/thing/a%2Db").body()).isEqualTo("{\"id\":\"a-b\"}");
    for (String bad : List.of("a%20b", "%C3%BC", "x".repeat(65), "a+b", "a:b")) {
      HttpResponse<String> response = server.get("/v1/thing/" + bad);
      assertThat(response.statusCode()).as(bad).isEqualTo(400);
    }
    for (String bad : List.of("a%2Fb", "%", "%zz", "%ff", "%2e%2e", "..", ".", "a%00b")) {
      String answer =
          server.raw(
              "GET /v1/thing/"
                  + bad
                  + " HTTP/1.1\r\nHost: localhost\r\nX-API-Key: e2b_alpha\r\nConnection: close\r\n\r\n");
      assertThat(answer)
          .as(bad)
          .matches(
              "(?s)HTTP/1.1 (400|404) .*\"code\":\"(bad_request|invalid_argument|not_found)\".*");
    }
  }

  @Test
  void malformedMessagesGetTheSameForm() throws Exception {
    for (String request :
        List.of(
            "GET /open HTTP/1.1\r\n\r\n",
            "GARBAGE\r\n\r\n",
            "GET /open HTTP/9.9\r\nHost: localhost\r\n\r\n",
            "GET /open HTTP/1.1\r\nHost: localhost\r\nBad Header: x\r\n\r\n",
            "POST /v1/thing/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
            "POST /v1/thing/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "GET /open HTTP/1.1\r\nHost: localhost\r\nX: " + "y".repeat(40_000) + "\r\n\r\n")) {
      String answer = server.raw(request);
      assertThat(answer)
          .as(request.substring(0, Math.min(60, request.length())))
          .startsWith("HTTP/1.1 ")
          .contains("\"code\":\"bad_request\"")
          .contains("X-Request-Id: ");
    }
  }

  @Test
  void foreignHostNamesAreRefused() throws Exception {
    for (String host :
        List.of("evil.example", "evil.example:7070", "127.0.0.1.evil.example", "10.0.0.1")) {
      assertThat(withHost(host)).as(host).startsWith("HTTP/1.1 403 ");
    }
    for (String host : List.of("localhost", "LOCALHOST:1", "127.0.0.1:9", "[::1]:80", "[::1]")) {
      assertThat(withHost(host)).as(host).startsWith("HTTP/1.1 200 ");
    }
    assertThat(
            server.raw(
                "GET http://evil.example/open HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        .doesNotStartWith("HTTP/1.1 200");
  }

  @Test
  void anAddressThatIsTooLongHasACodeOfItsOwn() throws Exception {
    assertThat(
            server.raw(
                "GET /open?a="
                    + "a".repeat(20_000)
                    + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 414 ")
        .contains("\"code\":\"uri_too_long\"");
  }

  private String withHost(String host) throws Exception {
    return server.raw("GET /open HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
  }

  @Test
  void tooLargeBodyIsRefusedEvenWhenItIsHuge() throws Exception {
    for (long size : new long[] {(1 << 20) + 1, 20 << 20}) {
      HttpResponse<String> announced =
          server.send(server.request("/v1/thing/a").POST(zeros(size, true)));
      assertThat(announced.statusCode()).as("announced %d", size).isEqualTo(413);
      assertThat(error(announced).code()).isEqualTo(ErrorCode.TOO_LARGE);
    }
    HttpResponse<String> chunked =
        server.send(server.request("/v1/thing/a").POST(zeros(5 << 20, false)));
    assertThat(chunked.statusCode()).isEqualTo(413);
    String head = "POST /v1/thing/a HTTP/1.1\r\nHost: localhost\r\nX-API-Key: e2b_alpha\r\n";
    String unsent = server.raw(head + "Content-Length: 100000000\r\nExpect: 100-continue\r\n\r\n");
    assertThat(unsent).startsWith("HTTP/1.1 413").contains("Connection: close");
    assertThat(server.get("/open").statusCode()).isEqualTo(200);
  }

  /** A caller that is still sending must not lose the answer to a reset. */
  @ParameterizedTest
  @ValueSource(strings = {"/v1/thing/a", "/v1/stream"})
  void whoSendsTooMuchInChunksMayGoOnWhileTheAnswerComes(String path) throws Exception {
    String piece = "40000\r\n" + " ".repeat(0x40000) + "\r\n";
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      OutputStream out = socket.getOutputStream();
      out.write(
          ("POST "
                  + path
                  + " HTTP/1.1\r\nHost: localhost\r\nX-API-Key: e2b_alpha\r\n"
                  + "Transfer-Encoding: chunked\r\n\r\n"
                  + piece.repeat(5))
              .getBytes(StandardCharsets.US_ASCII));
      byte[] first = new byte[12];
      assertThat(socket.getInputStream().readNBytes(first, 0, 12)).isEqualTo(12);
      assertThat(new String(first, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 413");
      out.write((piece + "0\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
      String rest = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(rest).contains("Connection: close").contains("too_large");
    }
  }

  private static HttpRequest.BodyPublisher zeros(long size, boolean announced) {
    HttpRequest.BodyPublisher body =
        BodyPublishers.ofInputStream(
            () ->
                new InputStream() {
                  private long left = size;

                  @Override
                  public int read() {
                    return left-- > 0 ? ' ' : -1;
                  }

                  @Override
                  public int read(byte[] bytes, int offset, int length) {
                    int count = (int) Math.min(length, left);
                    Arrays.fill(bytes, offset, offset + count, (byte) ' ');
                    left -= count;
                    return count == 0 ? -1 : count;
                  }
                });
    return announced ? BodyPublishers.fromPublisher(body, size) : body;
  }

  @Test
  void connectionIsKeptAfterAnErrorWithoutBody() throws Exception {
    String first = "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n";
    String second = "GET /open HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    String answer = server.raw(first + second);
    assertThat(answer).startsWith("HTTP/1.1 404").contains("HTTP/1.1 200");
  }

  @Test
  void stoppingServerRefusesNewWork() throws Exception {
    try (TestingServer stopping = new TestingServer(routes())) {
      stopping.shutdown.begin();
      HttpResponse<String> response = stopping.get("/v1/project");
      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(error(response).code()).isEqualTo(ErrorCode.SHUTTING_DOWN);
      assertThat(header(response, "Retry-After")).isEqualTo("1");
    }
  }

  @Test
  void silentOperationOutlivesTheIdleTimeout() throws Exception {
    HttpConfig impatient =
        new HttpConfig(
            "127.0.0.1",
            0,
            1024,
            List.of(),
            false,
            Duration.ofMillis(200),
            Duration.ofSeconds(9),
            PortDomain.parse("localhost"));
    try (TestingServer slow =
        new TestingServer(
            impatient,
            Route.get(
                "/v1/slow",
                exchange -> {
                  Thread.sleep(1000);
                  exchange.text(200, "text/plain", "done");
                }))) {
      assertThat(slow.get("/v1/slow").body()).isEqualTo("done");
    }
  }

  @Test
  void bodyThatStopsComingIsGivenUp() throws Exception {
    HttpConfig impatient =
        new HttpConfig(
            "127.0.0.1",
            0,
            1024,
            List.of(),
            false,
            Duration.ofMillis(200),
            Duration.ofSeconds(9),
            PortDomain.parse("localhost"));
    try (TestingServer slow = new TestingServer(impatient, routes())) {
      String answer =
          slow.raw(
              "POST /v1/thing/a HTTP/1.1\r\nHost: localhost\r\nX-API-Key: e2b_alpha\r\nContent-Length: 100\r\n\r\n{");
      assertThat(answer).startsWith("HTTP/1.1 400").contains("stopped coming");
    }
  }

  @Test
  void http2WithoutTlsIsSpoken() throws Exception {
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      HttpResponse<String> response =
          client.send(server.request("/v1/project").build(), HttpResponse.BodyHandlers.ofString());
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(response.body()).isEqualTo("alpha");
    }
  }
}
