package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.Json;
import dev.atoll.server.EngineFixture.Answer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code /mcp} as a client sees it that does not always do what it should. */
final class McpApiTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String INITIALIZE =
      """
      {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
       "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}
      """;

  @TempDir Path folder;
  private EngineFixture server;

  @BeforeEach
  void start() throws Exception {
    server = new EngineFixture(folder.resolve("usual"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpRequest.Builder message(String body) {
    return HttpRequest.newBuilder(server.url("/mcp"))
        .header("Authorization", "Bearer " + server.key())
        .header("Accept", "application/json, text/event-stream")
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body));
  }

  private String begin() throws Exception {
    return server.send(message(INITIALIZE)).header("Mcp-Session-Id");
  }

  private Answer send(String session, String body) throws Exception {
    return server.send(message(body).header("Mcp-Session-Id", session));
  }

  private static String call(int id, String code) {
    return """
    {"jsonrpc": "2.0", "id": %d, "method": "tools/call", "params": {"name": "run_code", "arguments": {"code": "%s"}}}
    """
        .formatted(id, code);
  }

  private static JsonNode last(Answer events) {
    String line = events.body().strip().lines().toList().getLast();
    return Json.lenient().readTree(line.substring("data: ".length()));
  }

  private int sandboxes() throws Exception {
    return server.get("/v1/sandboxes").json().get("items").size();
  }

  @Test
  void aSandboxIsMadeWhenItIsNeededAndEndsWithTheSession() throws Exception {
    String session = begin();
    assertThat(sandboxes()).isZero();
    JsonNode result = last(send(session, call(2, "1+1"))).get("result");
    assertThat(result.get("structuredContent").get("result").asString()).isEqualTo("2");
    send(session, call(3, "2+2"));
    assertThat(sandboxes()).isEqualTo(1);
    HttpRequest.Builder delete =
        message("").method("DELETE", BodyPublishers.noBody()).header("Mcp-Session-Id", session);
    assertThat(server.send(delete).status()).isEqualTo(204);
    assertThat(sandboxes()).isZero();
    assertThat(send(session, call(4, "1")).status()).isEqualTo(404);
  }

  @Test
  void aSessionThatNobodyUsesIsEnded() throws Exception {
    server.close();
    server = new EngineFixture(folder.resolve("impatient"), "--mcp.session-idle=2s");
    String session = begin();
    send(session, call(2, "1"));
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(sandboxes()).isZero());
    assertThat(send(session, call(3, "1")).status()).isEqualTo(404);
  }

  @Test
  void aSandboxThatHasEndedIsReplacedAndTheModelIsTold() throws Exception {
    String session = begin();
    String first =
        last(send(session, call(2, "1"))).at("/result/structuredContent/sandbox").asString();
    server.delete("/v1/sandboxes/" + first);
    JsonNode result = last(send(session, call(3, "1"))).get("result");
    assertThat(result.at("/structuredContent/sandbox").asString()).isNotEqualTo(first);
    assertThat(result.at("/content/0/text").asString()).contains("a new one was made");
  }

  private JsonNode tool(String session, String name, String arguments) throws Exception {
    return last(
        send(
            session,
            """
            {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "%s", "arguments": %s}}
            """
                .formatted(name, arguments)));
  }

  private static String text(JsonNode answer) {
    return String.join("\n", answer.at("/result/content").findValuesAsString("text"));
  }

  @Test
  void anotherSandboxDoesNotBecomeTheSessionsOwnUnlessItIsAskedFor() throws Exception {
    String session = begin();
    JsonNode first = tool(session, "run_code", "{\"code\":\"1\"}");
    String own = first.at("/result/structuredContent/sandbox").asString();
    assertThat(first.at("/result/structuredContent/session_sandbox").asString()).isEqualTo(own);
    JsonNode made = tool(session, "create_sandbox", "{}");
    String other = made.at("/result/structuredContent/sandbox").asString();
    assertThat(other).isNotEqualTo(own);
    assertThat(made.at("/result/structuredContent/session_sandbox").asString()).isEqualTo(own);
    assertThat(text(made)).contains("Name it with the argument sandbox", own);
    JsonNode next = tool(session, "run_code", "{\"code\":\"1\"}");
    assertThat(next.at("/result/structuredContent/sandbox").asString()).isEqualTo(own);
    assertThat(text(next)).contains("[the session's own sandbox is " + own + "]");
    JsonNode used = tool(session, "create_sandbox", "{\"use\":true}");
    String third = used.at("/result/structuredContent/session_sandbox").asString();
    assertThat(used.at("/result/structuredContent/sandbox").asString()).isEqualTo(third);
    assertThat(
            tool(session, "run_code", "{\"code\":\"1\"}")
                .at("/result/structuredContent/sandbox")
                .asString())
        .isEqualTo(third);
  }

  @Test
  void closingSaysWhatFollows() throws Exception {
    String session = begin();
    String own =
        tool(session, "run_code", "{\"code\":\"1\"}")
            .at("/result/structuredContent/sandbox")
            .asString();
    String other =
        tool(session, "create_sandbox", "{}").at("/result/structuredContent/sandbox").asString();
    JsonNode closed = tool(session, "close_sandbox", "{\"sandbox\":\"%s\"}".formatted(other));
    assertThat(text(closed)).contains("the session's own is as it was", own);
    closed = tool(session, "close_sandbox", "{\"sandbox\":\"%s\"}".formatted(own));
    assertThat(text(closed)).contains("the next call that names no sandbox makes a new one");
    assertThat(closed.at("/result/structuredContent").has("session_sandbox")).isFalse();
    JsonNode next = tool(session, "run_code", "{\"code\":\"1\"}");
    assertThat(next.at("/result/structuredContent/sandbox").asString()).isNotIn(own, other);
  }

  @Test
  void optionalArgumentsMayBeNullEmptyOrZero() throws Exception {
    String session = begin();
    JsonNode tools =
        last(send(session, "{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"tools/list\"}"));
    for (JsonNode one : tools.at("/result/tools")) {
      JsonNode schema = one.get("inputSchema");
      schema
          .get("properties")
          .propertyStream()
          .filter(field -> !schema.get("required").toString().contains('"' + field.getKey() + '"'))
          .forEach(field -> assertThat(field.getValue().get("type").toString()).contains("null"));
    }
    for (String empty : new String[] {"null", "\"\"", "0"}) {
      boolean text = !empty.equals("0");
      String arguments =
          "{\"code\":\"1+1\",\"sandbox\":%1$s,\"language\":%1$s,\"context\":%1$s,\"timeout_seconds\":%2$s}"
              .formatted(text ? empty : "null", text ? "null" : empty);
      JsonNode ran = tool(session, "run_code", arguments);
      assertThat(ran.at("/result/structuredContent/result").asString())
          .as(ran.toString())
          .isEqualTo("2");
    }
    JsonNode made =
        tool(
            session,
            "create_sandbox",
            "{\"template\":\"\",\"snapshot\":null,\"name\":\"\",\"memory_mib\":0,\"cpus\":0,\"ttl_seconds\":0,"
                + "\"network\":\"\",\"allow\":[],\"keep\":null,\"use\":false}");
    assertThat(made.at("/result/isError").asBoolean()).as(made.toString()).isFalse();
  }

  @Test
  void errorsSpeakTheWordsOfTheTools() throws Exception {
    String session = begin();
    JsonNode late = tool(session, "run_code", "{\"code\":\"1\",\"timeout_seconds\":-1}");
    assertThat(text(late)).contains("timeout_seconds").doesNotContain("timeoutSeconds");
    JsonNode nobody = tool(session, "run_code", "{\"code\":\"1\",\"sandbox\":\"nobody\"}");
    assertThat(text(nobody)).contains("list_sandboxes").doesNotContain("atoll ls");
    JsonNode large = tool(session, "create_sandbox", "{\"memory_mib\":1}");
    assertThat(text(large)).contains("memory_mib").doesNotContain("memoryMiB");
    JsonNode unknown = tool(session, "rnu_code", "{}");
    assertThat(unknown.at("/error/code").asInt()).isEqualTo(-32602);
    assertThat(unknown.at("/error/message").asString()).isEqualTo("there is no tool rnu_code");
    assertThat(unknown.at("/error/data/hint").asString()).contains("run_code");
  }

  @Test
  void aCancelledRunIsStoppedAndNotAnswered() throws Exception {
    String session = begin();
    send(session, call(2, "1"));
    CompletableFuture<Answer> running =
        CompletableFuture.supplyAsync(() -> quietly(session, call(3, "while True: pass")));
    String cancel =
        "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", \"params\": {\"requestId\": 3}}";
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              assertThat(send(session, cancel).status()).isEqualTo(202);
              return running.isDone();
            });
    assertThat(running.get(1, TimeUnit.SECONDS).body()).doesNotContain("\"id\":3");
    assertThat(last(send(session, call(4, "1+1"))).at("/result/isError").asBoolean()).isFalse();
  }

  private Answer quietly(String session, String body) {
    try {
      return send(session, body);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void onlyWhoHasAKeyAndAnOwnOriginIsServed() throws Exception {
    HttpRequest.Builder keyless =
        HttpRequest.newBuilder(server.url("/mcp"))
            .header("Accept", "application/json, text/event-stream")
            .POST(BodyPublishers.ofString(INITIALIZE));
    assertThat(server.send(keyless).status()).isEqualTo(401);
    assertThat(server.send(message(INITIALIZE).header("Origin", "http://evil.test")).status())
        .isEqualTo(403);
    assertThat(server.send(message(INITIALIZE).header("Origin", "http://localhost:3")).status())
        .isEqualTo(200);
  }

  @Test
  void whatIsNoMessageIsAnsweredWithAnErrorOfTheProtocol() throws Exception {
    String session = begin();
    assertError(server.send(message("nonsense")), 400, -32600);
    assertError(server.send(message(call(2, "1"))), 400, -32600);
    assertError(send("unknown", call(2, "1")), 404, -32002);
    assertError(
        server.send(message(INITIALIZE).header("MCP-Protocol-Version", "1999-01-01")), 400, -32600);
    assertError(send(session, "{\"jsonrpc\": \"2.0\", \"id\": 2}"), 400, -32600);
    JsonNode unknown =
        last(send(session, "{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"no/such\"}"));
    assertThat(unknown.at("/error/code").asInt()).isEqualTo(-32601);
  }

  private static void assertError(Answer answer, int status, int code) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    assertThat(answer.json().at("/error/code").asInt()).as(answer.body()).isEqualTo(code);
  }
}
