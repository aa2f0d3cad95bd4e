package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class ExecCommandTest {
  private static final String PROCESS =
      "{\"id\":\"run_9\",\"pid\":7,\"name\":\"web\",\"command\":[\"cat\"],\"pty\":false,\"running\":true,\"startedAt\":\"2026-11-15T00:00:00Z\",\"outputBytes\":3}";
  private static final String EVENTS = "GET /v1/sandboxes/box/runs/run_9/events";

  private final CliHarness cli = new CliHarness();

  @BeforeEach
  void start() {
    cli.answers("POST /v1/sandboxes/box/processes", 201, PROCESS);
    cli.answers("GET /v1/sandboxes/box/processes/run_9", 200, PROCESS);
    cli.answers("POST /v1/sandboxes/box/processes/run_9/stdin", 204, "");
    cli.answers("DELETE /v1/sandboxes/box/processes/run_9", 204, "");
  }

  @AfterEach
  void stop() {
    cli.close();
  }

  private JsonNode started() {
    return CliHarness.json(
        cli.server.seen().stream()
            .filter(seen -> seen.target().equals("POST /v1/sandboxes/box/processes"))
            .map(FakeServer.Seen::body)
            .findFirst()
            .orElse("{}"));
  }

  @Test
  void aProgramInATerminalGetsEveryOption() {
    // The terminal itself is a WebSocket, which the server of this test has not.
    String line = "exec -t -u root -w /tmp -e A=1 --timeout 3s box -- env";
    assertThat(cli.run(line.split(" ", -1))).isEqualTo(125);
    JsonNode request = started();
    assertThat(request.get("user").asString()).isEqualTo("root");
    assertThat(request.get("cwd").asString()).isEqualTo("/tmp");
    assertThat(request.get("env").get("A").asString()).isEqualTo("1");
    assertThat(request.get("timeoutSeconds").asDouble()).isEqualTo(3);
    assertThat(request.has("pty")).isTrue();
  }

  @Test
  void aDetachedProgramIsNamedAndLeftAlone() {
    assertThat(cli.run("exec", "-d", "--name", "web", "box", "--", "cat")).isZero();
    assertThat(cli.out()).isEqualTo("run_9\n");
    assertThat(started().get("name").asString()).isEqualTo("web");
    assertThat(started().has("openStdin")).isFalse();
    assertThat(cli.server.targets()).containsExactly("POST /v1/sandboxes/box/processes");
  }

  @Test
  void theResultAsJson() {
    cli.server.on(
        EVENTS,
        exchange -> {
          FakeServer.lines(
              exchange,
              "{\"type\":\"stdout\",\"offset\":0,\"text\":\"abc\"}",
              CliHarness.end("error", 7));
          exchange.close();
        });
    assertThat(cli.run("exec", "-o", "json", "-n", "box", "--", "cat")).isEqualTo(7);
    JsonNode result = Json.strict().readTree(cli.out());
    assertThat(result.get("stdout").asString()).isEqualTo("abc");
    assertThat(result.get("exitCode").asInt()).isEqualTo(7);
  }

  @Test
  void theFirstInterruptGoesToTheProgramAndTheSecondKillsIt() {
    CountDownLatch interrupted = new CountDownLatch(1);
    CountDownLatch killed = new CountDownLatch(1);
    cli.server.on(
        "POST /v1/sandboxes/box/processes/run_9/signal",
        exchange -> {
          FakeServer.answer(exchange, 204, "");
          interrupted.countDown();
        });
    cli.server.on(
        "POST /v1/sandboxes/box/runs/run_9/cancel",
        exchange -> {
          FakeServer.answer(exchange, 204, "");
          killed.countDown();
        });
    cli.server.on(
        EVENTS,
        exchange -> {
          FakeServer.lines(exchange, "{\"type\":\"stdout\",\"offset\":0,\"text\":\"deaf\"}");
          cli.interrupt(interrupted);
          cli.interrupt(killed);
          FakeServer.lines(exchange, CliHarness.end("interrupted", 137));
          exchange.close();
        });
    assertThat(cli.run("exec", "box", "--", "deaf")).isEqualTo(130);
    assertThat(cli.server.targets())
        .containsSubsequence(
            "POST /v1/sandboxes/box/processes/run_9/signal",
            "POST /v1/sandboxes/box/runs/run_9/cancel");
  }

  @ParameterizedTest
  @CsvSource({"not_found, 127", "not_executable, 126"})
  void aProgramThatCannotBeStartedHasTheCodeOfAShell(String reason, int expected) {
    Map<String, Object> body =
        Map.of(
            "code",
            "command_not_found",
            "message",
            "no",
            "requestId",
            "req_1",
            "details",
            Map.of("reason", reason));
    cli.answers("POST /v1/sandboxes/box/processes", 422, Json.lenient().writeValueAsString(body));
    assertThat(cli.run("exec", "box", "--", "nosuch")).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-t -d", "-t -o json", "--name web"})
  void whatDoesNotGoTogetherIsRefused(String options) {
    assertThat(cli.run(("exec " + options + " box -- cat").split(" ", -1))).isEqualTo(2);
    assertThat(cli.server.targets()).isEmpty();
  }

  @Test
  void aProgramWhoseOutputNobodyTakesIsEnded() {
    cli.stdout = new ClosedPipe();
    cli.server.on(
        EVENTS,
        exchange -> {
          FakeServer.lines(exchange, "{\"type\":\"stdout\",\"offset\":0,\"text\":\"y\"}");
          exchange.close();
        });
    assertThat(cli.run("exec", "-n", "box", "--", "yes")).isIn(125, 141);
    assertThat(cli.server.targets()).contains("DELETE /v1/sandboxes/box/processes/run_9");
  }

  @Test
  void aProgramIsTiedToWhoeverFollowsIt() {
    cli.server.on(
        EVENTS,
        exchange -> {
          FakeServer.lines(exchange, CliHarness.end("ok", 0));
          exchange.close();
        });
    assertThat(cli.run("exec", "-n", "box", "--", "true")).isZero();
    assertThat(started().get("reconnectSeconds").asDouble()).isEqualTo(60);
  }
}
