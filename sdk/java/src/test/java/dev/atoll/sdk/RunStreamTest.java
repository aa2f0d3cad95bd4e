package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.atoll.model.Json;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import dev.atoll.sdk.transport.HttpClientTransport;
import dev.atoll.sdk.transport.Transport;
import dev.atoll.sdk.transport.UrlConnectionTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class RunStreamTest {
  private static final String CODE = "POST /v1/sandboxes/x/code";
  private static final String EVENTS = "GET /v1/sandboxes/x/runs/run_1/events";
  private static final String CANCEL = "POST /v1/sandboxes/x/runs/run_1/cancel";
  private static final String DISPLAY =
      "{\"type\":\"display\",\"data\":{\"text/plain\":\"shown\"}}";

  private final FakeServer server = new FakeServer();

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @MethodSource("dev.atoll.sdk.Fixture#transports")
  void eventsArriveWhileTheyHappen(Transport transport) throws Exception {
    CountDownLatch firstRead = new CountDownLatch(1);
    server.on(
        CODE,
        exchange -> {
          FakeServer.lines(exchange, Fixture.STARTED, Fixture.stdout(0, "one"));
          await(firstRead);
          FakeServer.lines(exchange, "{\"type\":\"ping\"}", "{\"type\":\"news\"}", Fixture.END);
          exchange.close();
        });
    List<RunEvent> events = new ArrayList<>();
    try (RunStream run = sandbox(transport).streamCode("print('one')")) {
      assertThat(run.id()).isEqualTo("run_1");
      for (RunEvent event : run) {
        events.add(event);
        if (event instanceof RunEvent.Stdout) {
          firstRead.countDown();
        }
      }
    }
    assertThat(events)
        .hasExactlyElementsOfTypes(
            RunEvent.Started.class, RunEvent.Stdout.class, RunEvent.End.class);
    assertThat(server.targets()).hasSize(1);
  }

  @Test
  void whatTheCodeAsksIsAnswered() {
    String input = "POST /v1/sandboxes/x/runs/run_1/input";
    AtomicInteger answers = new AtomicInteger();
    server.on(
        input,
        exchange -> {
          if (answers.incrementAndGet() == 3) {
            FakeServer.error(exchange, 409, "input_not_awaited");
          } else {
            FakeServer.answer(exchange, 204, "");
          }
        });
    server.on(
        CODE,
        exchange -> {
          FakeServer.lines(exchange, Fixture.STARTED);
          for (int i = 1; i <= 3; i++) {
            FakeServer.lines(
                exchange, "{\"type\":\"input_request\",\"id\":\"q" + i + "\",\"prompt\":\"?\"}");
          }
          FakeServer.lines(exchange, Fixture.END);
          exchange.close();
        });
    RunResult result =
        sandbox(new HttpClientTransport())
            .runCode("x", c -> c.onInput(question -> question.id().equals("q2") ? null : "mine"));
    assertThat(result.status()).isEqualTo(RunStatus.OK);
    assertThat(server.seen())
        .filteredOn(seen -> seen.target().equals(input))
        .extracting(FakeServer.Seen::body)
        .containsExactly(
            "{\"id\":\"q1\",\"text\":\"mine\"}",
            "{\"id\":\"q2\",\"eof\":true}",
            "{\"id\":\"q3\",\"text\":\"mine\"}");
    assertThat(server.seen().get(0).body()).contains("\"answersInput\":true");
  }

  @ParameterizedTest
  @EnumSource
  void aBrokenConnectionLosesNothingAndRepeatsNothing(FakeRun.Replay replay) {
    reconnect(replay, new HttpClientTransport());
  }

  @ParameterizedTest
  @EnumSource
  void theLightTransportReconnectsToo(FakeRun.Replay replay) {
    reconnect(replay, new UrlConnectionTransport());
  }

  private void reconnect(FakeRun.Replay replay, Transport transport) {
    // Breaks after 2, 3, 4 … lines, so between any two events and behind events without offset.
    FakeRun run =
        new FakeRun(replay)
            .output("äb")
            .other(DISPLAY)
            .other(DISPLAY)
            .output("cd")
            .other("{\"type\":\"result\",\"data\":{\"text/plain\":\"7\"}}")
            .output("ef")
            .other(DISPLAY)
            .other(Fixture.END);
    server.on(CODE, exchange -> run.serve(exchange, 0, 2));
    AtomicInteger attempts = new AtomicInteger();
    server.on(
        EVENTS,
        exchange -> {
          int attempt = attempts.incrementAndGet();
          if (attempt == 1) {
            FakeServer.error(exchange, 503, "shutting_down");
            return;
          }
          String query = exchange.getRequestURI().getQuery();
          assertThat(query).endsWith("&hold=true");
          String from = query.substring("from=".length(), query.indexOf('&'));
          run.serve(exchange, Long.parseLong(from), attempt + 1);
        });
    List<RunEvent> events = new ArrayList<>();
    try (RunStream stream = sandbox(transport).streamCode("x")) {
      stream.forEach(events::add);
    }
    RunCollector collector = new RunCollector("run_1");
    events.forEach(collector::add);
    RunResult result = collector.result();
    assertThat(result.stdout()).isEqualTo("äbcdef");
    assertThat(result.displays()).hasSize(3);
    assertThat(result.text()).hasValue("7");
    assertThat(result.status()).isEqualTo(RunStatus.OK);
    assertThat(events).hasSize(9);
    assertThat(attempts).hasValueGreaterThan(2);
  }

  @Test
  void aRestartedLocalServerIsFoundAtItsNewAddress(@TempDir Path home) throws Exception {
    CountDownLatch gone = new CountDownLatch(1);
    server.on(
        CODE,
        exchange -> {
          FakeServer.lines(exchange, Fixture.STARTED, Fixture.stdout(0, "a"));
          await(gone);
          throw new IOException("killed");
        });
    describe(home, server.url());
    try (FakeServer successor = new FakeServer()) {
      successor.on(
          EVENTS,
          exchange -> {
            FakeServer.lines(exchange, Fixture.stdout(1, "b"), Fixture.END);
            exchange.close();
          });
      Atoll atoll =
          Atoll.builder()
              .environment(Map.of("ATOLL_HOME", home.toString()))
              .retryPolicy(Fixture.quick())
              .build();
      StringBuilder heard = new StringBuilder();
      RunResult result =
          atoll
              .sandboxes()
              .handle("x")
              .runCode(
                  "x",
                  c ->
                      c.onStdout(
                          text -> {
                            heard.append(text);
                            describe(home, successor.url());
                            gone.countDown();
                          }));
      assertThat(result.stdout()).isEqualTo("ab");
      assertThat(heard).hasToString("ab");
      assertThat(successor.seen().get(0).header("Authorization")).isEqualTo("Bearer secret");
    }
  }

  @Test
  void aServerThatStaysAwayEndsTheWait() {
    server.on(
        CODE,
        exchange -> {
          FakeServer.lines(exchange, Fixture.STARTED);
          FakeServer.cut(exchange);
        });
    server.on(EVENTS, exchange -> FakeServer.error(exchange, 503, "shutting_down"));
    Atoll atoll =
        Atoll.builder()
            .url(server.url())
            .apiKey("k")
            .retryPolicy(
                new RetryPolicy(
                    1, Duration.ofMillis(1), Duration.ofMillis(20), Duration.ofMillis(200)))
            .build();
    assertThatExceptionOfType(ConnectionException.class)
        .isThrownBy(() -> atoll.sandboxes().handle("x").runCode("x"))
        .satisfies(e -> assertThat(e.hint()).contains("run_1"));
  }

  @ParameterizedTest
  @MethodSource("dev.atoll.sdk.Fixture#transports")
  void closingBeforeTheEndCancelsTheRun(Transport transport) throws Exception {
    CountDownLatch cancelled = openRun();
    sandbox(transport).streamCode("while True: pass").close();
    assertThat(cancelled.await(5, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void closingADetachedStreamLeavesTheRunAlone() {
    openRun();
    try (RunStream run = sandbox().streamCode("x")) {
      run.detach();
    }
    assertThat(server.targets()).doesNotContain(CANCEL);
  }

  @Test
  void closingAfterTheEndCancelsNothing() {
    server.on(
        CODE,
        exchange -> {
          FakeServer.lines(exchange, Fixture.STARTED, Fixture.END);
          exchange.close();
        });
    sandbox().runCode("1");
    assertThat(server.targets()).hasSize(1);
  }

  @Test
  void interruptingTheCallerCancelsTheRun() throws Exception {
    CountDownLatch cancelled = openRun();
    CompletableFuture<Throwable> outcome = new CompletableFuture<>();
    CompletableFuture<Boolean> flag = new CompletableFuture<>();
    CountDownLatch started = new CountDownLatch(1);
    Thread caller =
        new Thread(
            () -> {
              try {
                sandbox().runCode("x", c -> c.onEvent(event -> started.countDown()));
                outcome.complete(new AssertionError("it returned"));
              } catch (ApiException e) {
                flag.complete(Thread.currentThread().isInterrupted());
                outcome.complete(e);
              }
            });
    caller.start();
    assertThat(started.await(5, TimeUnit.SECONDS)).isTrue();
    caller.interrupt();
    assertThat(outcome.get(5, TimeUnit.SECONDS)).isInstanceOf(CallInterruptedException.class);
    assertThat(flag.get()).isTrue();
    assertThat(cancelled.await(5, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theResultGathersEverything() {
    server.on(
        CODE,
        exchange -> {
          // The two bytes of "é" arrive in two pieces.
          FakeServer.lines(
              exchange,
              Fixture.STARTED,
              "{\"type\":\"stdout\",\"offset\":0,\"base64\":\"w6\"}".replace("w6", "ww=="),
              "{\"type\":\"stdout\",\"offset\":1,\"base64\":\"qQ==\"}",
              "{\"type\":\"stderr\",\"offset\":2,\"text\":\"bad\"}",
              "{\"type\":\"cut\",\"offset\":5,\"bytes\":99}",
              "{\"type\":\"result\",\"data\":{\"text/plain\":\"2\"}}",
              "{\"type\":\"error\",\"error\":{\"name\":\"E\",\"value\":\"v\",\"traceback\":[\"t\"]}}",
              "{\"type\":\"end\",\"status\":\"error\",\"exitCode\":1,\"durationMillis\":5,\"outputBytes\":104}");
          exchange.close();
        });
    StringBuilder heard = new StringBuilder();
    RunResult result = sandbox().runCode("x", c -> c.onStdout(heard::append));
    assertThat(heard).hasToString("é");
    assertThat(result.stdout()).isEqualTo("é");
    assertThat(result.stderr()).startsWith("bad").contains("99 bytes of output left out");
    assertThat(result.text()).hasValue("2");
    assertThat(result.cutBytes()).isEqualTo(99);
    assertThat(result.error()).isNotNull();
    assertThat(result.ok()).isFalse();
  }

  private CountDownLatch openRun() {
    CountDownLatch cancelled = new CountDownLatch(1);
    server.on(
        CODE,
        exchange -> {
          FakeServer.lines(exchange, Fixture.STARTED);
          await(cancelled);
          exchange.close();
        });
    server.on(
        CANCEL,
        exchange -> {
          FakeServer.answer(exchange, 204, "");
          cancelled.countDown();
        });
    return cancelled;
  }

  private static void describe(Path home, String url) {
    try {
      Path key = Files.writeString(home.resolve("key"), "secret\n");
      Files.createDirectories(home.resolve("run"));
      Map<String, Object> description =
          Map.of("url", url, "pid", 1, "version", "0.1.0", "adminKeyFile", key.toString());
      Files.writeString(
          home.resolve("run/server.json"), Json.lenient().writeValueAsString(description));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Sandbox sandbox() {
    return Fixture.client(server).sandboxes().handle("x");
  }

  private Sandbox sandbox(Transport transport) {
    return Fixture.client(server, transport).sandboxes().handle("x");
  }
}
