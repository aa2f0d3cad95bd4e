package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.atoll.sdk.Endpoint;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Messages between standard input and output and a server that is as the protocol wants it. */
@Timeout(60)
class McpBridgeTest {
  private static final String INITIALIZE =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}";
  private static final String BEGUN =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\"}}";
  private static final String INITIALIZED =
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
  private static final String PROGRESS =
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}";

  private final CliHarness cli = new CliHarness();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final McpBridge bridge =
      new McpBridge(
          () -> new Endpoint(URI.create(cli.server.url()), "k"),
          new PrintStream(out, false, StandardCharsets.UTF_8));

  /** The sessions that the server knows. */
  private final Set<String> sessions = ConcurrentHashMap.newKeySet();

  private final AtomicInteger begun = new AtomicInteger();

  @BeforeEach
  void serve() {
    cli.server.on("POST /mcp", exchange -> post(exchange, body(exchange)));
    cli.server.on("GET /mcp", exchange -> FakeServer.answer(exchange, 405, ""));
    cli.server.on(
        "DELETE /mcp",
        exchange -> {
          sessions.remove(header(exchange, "Mcp-Session-Id"));
          FakeServer.answer(exchange, 204, "");
        });
  }

  @AfterEach
  void stop() {
    cli.close();
  }

  private static String header(HttpExchange exchange, String name) {
    return String.valueOf(exchange.getRequestHeaders().getFirst(name));
  }

  private static String body(HttpExchange exchange) throws IOException {
    return new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static String request(String id, String method) {
    return "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\"}".formatted(id, method);
  }

  private static String result(String id, String method) {
    return "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"said\":\"%s\"}}".formatted(id, method);
  }

  /** Answers as the server does: initialize plainly, notifications not at all, others in events. */
  private void post(HttpExchange exchange, String body) throws IOException {
    JsonNode message = CliHarness.json(body);
    String method = message.path("method").asString("");
    if (method.equals("initialize")) {
      String session = "session-" + begun.incrementAndGet();
      sessions.add(session);
      exchange.getResponseHeaders().set("Mcp-Session-Id", session);
      FakeServer.answer(exchange, 200, BEGUN);
    } else if (!sessions.contains(header(exchange, "Mcp-Session-Id"))) {
      FakeServer.answer(
          exchange, 404, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":\"none\"}}");
    } else if (!message.has("id")) {
      FakeServer.answer(exchange, 202, "");
    } else {
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      String answer = result(message.get("id").toString(), method);
      String events =
          "event: message\ndata: %s\n\n: ping\n\nevent: message\ndata: %s\n\n"
              .formatted(PROGRESS, answer);
      exchange.getResponseBody().write(events.getBytes(StandardCharsets.UTF_8));
      exchange.close();
    }
  }

  /** What was said once a line is among it. */
  private List<String> heard(String wanted) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(45);
    while (true) {
      List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
      if (lines.contains(wanted)) {
        return lines;
      }
      assertThat(System.nanoTime()).as("%s in %s", wanted, lines).isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  @Test
  void aSessionIsBegunUsedAndEnded() {
    bridge.take(INITIALIZE);
    bridge.take(INITIALIZED);
    bridge.take(request("\"a\"", "ping"));
    String answer = result("\"a\"", "ping");
    assertThat(heard(answer)).containsExactly(BEGUN, PROGRESS, answer);
    assertThat(sessions).hasSize(1);
    bridge.close();
    assertThat(sessions).isEmpty();
    FakeServer.Seen ping =
        cli.server.seen().stream()
            .filter(one -> one.body().contains("\"ping\""))
            .findFirst()
            .orElseThrow();
    assertThat(ping.headers().get("Authorization")).containsExactly("Bearer k");
    assertThat(ping.headers().get("Mcp-protocol-version")).containsExactly("2025-06-18");
  }

  @Test
  void requestsDoNotWaitForEachOther() {
    CountDownLatch quick = new CountDownLatch(1);
    cli.server.on(
        "POST /mcp",
        exchange -> {
          String body = body(exchange);
          if (body.contains("slow")) {
            await(quick);
          }
          post(exchange, body);
        });
    bridge.take(INITIALIZE);
    bridge.take(request("2", "slow"));
    bridge.take(request("3", "quick"));
    heard(result("3", "quick"));
    quick.countDown();
    heard(result("2", "slow"));
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(45, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aSessionThatTheServerHasForgottenIsBegunAgain() {
    bridge.take(INITIALIZE);
    bridge.take(INITIALIZED);
    // As after another server has started.
    sessions.clear();
    bridge.take(request("2", "tools/list"));
    assertThat(heard(result("2", "tools/list"))).filteredOn(BEGUN::equals).hasSize(1);
    assertThat(begun).hasValue(2);
    bridge.close();
    assertThat(sessions).isEmpty();
  }

  @Test
  void whatIsNoAnswerOfTheProtocolBecomesAnErrorOfIt() {
    cli.server.on("POST /mcp", exchange -> FakeServer.error(exchange, 401, "unauthorized"));
    bridge.take(INITIALIZE);
    JsonNode refused = CliHarness.json(out.toString(StandardCharsets.UTF_8));
    assertThat(refused.at("/id").asInt()).isEqualTo(1);
    assertThat(refused.at("/error/message").asString()).isEqualTo("it is unauthorized");
  }

  @Test
  void aServerThatIsGoneIsAnErrorOfARequest() {
    cli.server.close();
    bridge.take(INITIALIZE);
    JsonNode failed = CliHarness.json(out.toString(StandardCharsets.UTF_8));
    assertThat(failed.at("/id").asInt()).isEqualTo(1);
    assertThat(failed.at("/error/message").asString()).contains("cannot be reached");
  }

  @Test
  void theSessionOfTheCommandEndsWithItsInput() {
    cli.stdin = INITIALIZE + "\n\n" + INITIALIZED + "\n";
    assertThat(cli.run("mcp")).as(cli.err()).isZero();
    assertThat(cli.out()).isEqualTo(BEGUN + "\n");
    assertThat(begun).hasValue(1);
    assertThat(sessions).isEmpty();
  }
}
