package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.databind.JsonNode;

/** Runs commands against a server on loopback and keeps what they print. */
final class CliHarness implements AutoCloseable {
  static final String SANDBOX =
      """
      {"id":"sbx_1","name":"box","state":"running","template":"python","templateDigest":"d",
       "isolation":"gvisor","driver":"gvisor","cpus":1,"memoryMiB":512,"diskMiB":1024,
       "processes":128,"persistent":false,"createdAt":"2026-11-15T00:00:00Z",
       "lastUsedAt":"2026-11-15T00:00:00Z"}
      """;
  static final String SNAPSHOT =
      """
      {"id":"snp_1","name":"base","kind":"memory","state":"ready","automatic":false,
       "sandbox":"sbx_1","parent":"snp_0","template":"python","templateDigest":"d",
       "isolation":"gvisor","driver":"gvisor","driverVersion":"1","cpus":1,"memoryMiB":512,
       "diskMiB":1024,"processes":128,"createdAt":"2026-11-15T00:00:00Z","totalBytes":5242880,
       "ownBytes":1536}
      """;
  static final String STARTED = "{\"type\":\"started\",\"id\":\"run_1\",\"pid\":7}";

  final FakeServer server = new FakeServer();
  final Map<String, String> environment = new HashMap<>();
  final Interrupts interrupts = new Interrupts(code -> {}, code -> {});
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  OutputStream stdout = out;
  String stdin = "";
  boolean terminal;

  CliHarness() {
    environment.put("ATOLL_URL", server.url());
    environment.put("ATOLL_API_KEY", "k");
    server.on("POST /v1/sandboxes", exchange -> FakeServer.answer(exchange, 201, SANDBOX));
    answers("GET /v1/sandboxes", 200, "{\"items\":[]}");
    answers("GET /v1/services", 200, "{\"items\":[]}");
    server.on("DELETE /v1/sandboxes/sbx_1", exchange -> FakeServer.answer(exchange, 204, ""));
  }

  /** What a code run in the temporary sandbox answers. */
  void code(String... events) {
    server.on(
        "POST /v1/sandboxes/sbx_1/code",
        exchange -> {
          FakeServer.lines(exchange, STARTED);
          FakeServer.lines(exchange, events);
          exchange.close();
        });
  }

  /** What a request is answered. */
  void answers(String methodAndPath, int status, String body) {
    server.on(methodAndPath, exchange -> FakeServer.answer(exchange, status, body));
  }

  /** The body of the last request, as JSON. */
  JsonNode lastBody() {
    List<FakeServer.Seen> seen = server.seen();
    return json(seen.get(seen.size() - 1).body());
  }

  static JsonNode json(String text) {
    return Json.strict().readTree(text);
  }

  static String end(String status, int exitCode) {
    return "{\"type\":\"end\",\"status\":\"%s\",\"exitCode\":%d,\"durationMillis\":5,\"outputBytes\":0}"
        .formatted(status, exitCode);
  }

  int run(String... args) {
    Stdio stdio =
        new Stdio(
            new ByteArrayInputStream(stdin.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(stdout, false, StandardCharsets.UTF_8),
            new PrintStream(err, false, StandardCharsets.UTF_8),
            terminal,
            terminal,
            terminal,
            Map.copyOf(environment));
    return Main.run(args, new Session(stdio, interrupts));
  }

  /** Ctrl-C, as soon as it would go to the guest; returns when it has had its effect. */
  void interrupt(CountDownLatch effect) {
    for (int i = 0; i < 2000 && !interrupts.guarded(); i++) {
      LockSupport.parkNanos(5_000_000);
    }
    new Thread(interrupts::interrupt).start();
    try {
      assertThat(effect.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  byte[] outBytes() {
    return out.toByteArray();
  }

  String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    server.close();
  }
}
