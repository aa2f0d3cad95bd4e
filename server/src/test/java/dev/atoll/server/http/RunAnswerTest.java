package dev.atoll.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import dev.atoll.model.MimeBundle;
import dev.atoll.model.RunError;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class RunAnswerTest {
  private final FakeRun run = new FakeRun();
  private final Metrics metrics = new Metrics(List.of());
  private final Shutdown shutdown = new Shutdown();
  private final RunAnswer answer = new RunAnswer(metrics, shutdown);
  private final TestingServer server =
      new TestingServer(
          Route.post("/v1/code", exchange -> answer.send(exchange, run, "code")),
          Route.get("/v1/events", exchange -> answer.follow(exchange, run, 0, null)).streaming(),
          Route.get("/v1/look", exchange -> answer.lookOn(exchange, run, 0)).streaming());

  @AfterEach
  void stop() {
    server.close();
    metrics.close();
  }

  @Test
  void bufferedAnswerIsOneObject() throws Exception {
    HttpResponse<String> response = server.post("/v1/code", "{}");
    RunResult result = Json.lenient().readValue(response.body(), RunResult.class);
    assertThat(result.text()).hasValue("42");
    assertThat(metrics.scrape())
        .contains("atoll_runs_seconds_count{kind=\"code\",status=\"ok\"} 1");
  }

  @Test
  void streamHoldsEveryEventOnALine() throws Exception {
    run.with(
        new RunEvent.Started("run_1", 7),
        new RunEvent.Stdout(0, "a\nb", null),
        new RunEvent.Stderr(3, null, "/w=="),
        new RunEvent.Cut(4, 100),
        new RunEvent.Display(MimeBundle.ofText("x")),
        new RunEvent.Result(MimeBundle.ofText("42")),
        new RunEvent.Failure(new RunError("E", "v", List.of())),
        FakeRun.END);
    HttpResponse<String> response =
        server.send(
            server
                .request("/v1/code")
                .header("Accept", "application/x-ndjson")
                .POST(BodyPublishers.ofString("{}")));
    assertThat(response.headers().firstValue("Content-Type")).contains("application/x-ndjson");
    assertThat(response.body().lines())
        .containsExactly(
            "{\"type\":\"started\",\"id\":\"run_1\",\"pid\":7}",
            "{\"type\":\"stdout\",\"offset\":0,\"text\":\"a\\nb\"}",
            "{\"type\":\"stderr\",\"offset\":3,\"base64\":\"/w==\"}",
            "{\"type\":\"cut\",\"offset\":4,\"bytes\":100}",
            "{\"type\":\"display\",\"data\":{\"text/plain\":\"x\"}}",
            "{\"type\":\"result\",\"data\":{\"text/plain\":\"42\"}}",
            "{\"type\":\"error\",\"error\":{\"name\":\"E\",\"value\":\"v\",\"traceback\":[]}}",
            "{\"type\":\"end\",\"status\":\"ok\",\"exitCode\":0,\"durationMillis\":3,\"outputBytes\":6}");
    awaitEventsClosed();
  }

  @Test
  void runThatEndsAtOnceIsAnsweredInOnePiece() throws Exception {
    run.with(new RunEvent.Started("run_1", 7)).duringAwait(FakeRun.END);
    HttpResponse<String> response =
        server.send(
            server
                .request("/v1/code")
                .header("Accept", "application/x-ndjson")
                .POST(BodyPublishers.ofString("{}")));
    assertThat(response.body().lines()).hasSize(2);
    // What leaves in several writes has no length beforehand.
    assertThat(response.headers().firstValue("Content-Length")).isPresent();
  }

  @Test
  void eventsArriveWhenTheyHappen() throws Exception {
    run.with(new RunEvent.Started("run_1", 7));
    try (BufferedReader lines = follow()) {
      assertThat(lines.readLine()).contains("started");
      List<Duration> delays = new ArrayList<>();
      for (int i = 0; i < 21; i++) {
        long begun = System.nanoTime();
        run.with(new RunEvent.Stdout(i, "x", null));
        assertThat(withoutPings(lines)).contains("stdout");
        delays.add(Duration.ofNanos(System.nanoTime() - begun));
      }
      // The median, for a busy machine may hold up any one of them.
      assertThat(delays.stream().sorted().toList().get(10)).isLessThan(Duration.ofMillis(50));
      run.with(FakeRun.END);
      assertThat(withoutPings(lines)).contains("end");
      assertThat(lines.readLine()).isNull();
    }
  }

  @Test
  void silenceIsBrokenByPings() throws Exception {
    run.with(new RunEvent.Started("run_1", 7));
    try (BufferedReader lines = follow()) {
      assertThat(lines.readLine()).contains("started");
      assertThat(lines.readLine()).isEqualTo("{\"type\":\"ping\"}");
      assertThat(lines.readLine()).isEqualTo("{\"type\":\"ping\"}");
      run.with(FakeRun.END);
    }
  }

  @Test
  void callerWhoLeavesAbandonsTheRun() throws Exception {
    run.with(new RunEvent.Started("run_1", 7));
    HttpResponse<InputStream> response = server.stream(server.request("/v1/events"));
    response.body().close();
    awaitEventsClosed();
    awaitAbandoned();
  }

  @Test
  void onlookerWhoLeavesOnlyStopsListening() throws Exception {
    run.with(new RunEvent.Started("run_1", 7));
    HttpResponse<InputStream> response = server.stream(server.request("/v1/look"));
    response.body().close();
    awaitEventsClosed();
    assertThat(run.abandoned).isFalse();
  }

  @Test
  void callerWhoHangsUpWhileHeWaitsForTheWholeAbandonsTheRun() throws Exception {
    run.neverEnds = true;
    try (Socket socket = ask()) {
      assertThat(socket.isConnected()).isTrue();
    }
    awaitAbandoned();
  }

  @Test
  void whatACallerAsksNextWhileHeWaitsIsAnsweredToo() throws Exception {
    run.neverEnds = true;
    try (Socket socket = ask()) {
      // Several times, for it should be seen by the one who looks whether he is there.
      for (int i = 0; i < 3; i++) {
        Thread.sleep(600);
        socket.getOutputStream().write(request());
      }
      run.neverEnds = false;
      socket.shutdownOutput();
      String answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answers.split("HTTP/1.1 200", -1)).hasSize(5);
      assertThat(run.abandoned).isFalse();
    }
  }

  private static byte[] request() {
    return ("POST /v1/code HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
            + TestingServer.KEY
            + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
        .getBytes(StandardCharsets.UTF_8);
  }

  private Socket ask() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.getOutputStream().write(request());
    return socket;
  }

  private void awaitAbandoned() throws InterruptedException {
    for (int i = 0; i < 1000 && !run.abandoned; i++) {
      Thread.sleep(10);
    }
    assertThat(run.abandoned).isTrue();
  }

  @Test
  void stoppingServerEndsStreamsWithoutAnEndEvent() throws Exception {
    run.with(new RunEvent.Started("run_1", 7));
    try (BufferedReader lines = follow()) {
      assertThat(lines.readLine()).contains("started");
      shutdown.begin();
      String last = lines.readLine();
      while (last != null) {
        assertThat(last).contains("ping");
        last = lines.readLine();
      }
    }
  }

  /** The caller sees the end of the answer before the server has put its things away. */
  private void awaitEventsClosed() throws InterruptedException {
    for (int i = 0; i < 100 && !run.eventsClosed; i++) {
      Thread.sleep(50);
    }
    assertThat(run.eventsClosed).isTrue();
  }

  private static String withoutPings(BufferedReader lines) throws IOException {
    String line = lines.readLine();
    while (line != null && line.contains("ping")) {
      line = lines.readLine();
    }
    return String.valueOf(line);
  }

  private BufferedReader follow() throws Exception {
    return new BufferedReader(
        new InputStreamReader(
            server.stream(server.request("/v1/events")).body(), StandardCharsets.UTF_8));
  }
}
