package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.RunResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One project tries to use up the server's memory while another works. The short form of {@code
 * ./atoll bench --only=neighbours}: so many attempts, no time.
 */
class NeighboursIT {
  private static final int MIB = 1 << 20;

  /** All heap that the server has; each attack alone would fill it several times. */
  private static final int HEAP_MIB = 160;

  private RealServer server;
  private Atoll attacker;
  private String attackerKey;
  private Sandbox neighbour;
  private final List<Double> quiet = new ArrayList<>();
  private final List<Double> attacked = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void start() throws IOException, InterruptedException {
    RealServer.Surroundings usual = RealServer.Surroundings.usual();
    server =
        new RealServer(
            new RealServer.Surroundings(
                List.of("-Xmx" + HEAP_MIB + "m", "-XX:+ExitOnOutOfMemoryError"),
                usual.variables(),
                usual.templates(),
                usual.template()));
    attackerKey = key("attacker");
    attacker = Atoll.connect(server.atoll().endpoint().url().toString(), attackerKey);
    neighbour =
        Atoll.connect(server.atoll().endpoint().url().toString(), key("neighbour"))
            .sandboxes()
            .create();
    for (int i = 0; i < 60; i++) {
      quiet.add(neighbourRuns());
    }
  }

  private String key(String project) {
    return String.valueOf(server.atoll().keys().create(project, project).secret());
  }

  @AfterEach
  void stop() throws IOException {
    neighbour.terminate();
    attacker.sandboxes().list().stream()
        .forEach(info -> attacker.sandboxes().handle(info.id()).terminate());
    server.close();
  }

  /** Milliseconds that the neighbour's run took; it has to be right. */
  private double neighbourRuns() {
    long begun = System.nanoTime();
    RunResult result = neighbour.runCode("6 * 7");
    assertThat(result.text()).hasValue("42");
    return (System.nanoTime() - begun) / 1e6;
  }

  /** Does all of them, some at once, while the neighbour works, and gives what came of them. */
  private <T> List<T> attack(String name, int atOnce, List<Callable<T>> attempts) throws Exception {
    attacked.clear();
    AtomicBoolean over = new AtomicBoolean();
    List<T> results = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(atOnce);
        ExecutorService beside = Executors.newSingleThreadExecutor()) {
      Future<?> work =
          beside.submit(
              () -> {
                while (!over.get()) {
                  attacked.add(neighbourRuns());
                }
              });
      for (Future<T> attempt : threads.invokeAll(attempts)) {
        results.add(attempt.get());
      }
      over.set(true);
      work.get();
    }
    System.out.printf(
        Locale.ROOT, "%s: %d attempts; run_code of the other project%n", name, attempts.size());
    System.out.printf("  quiet    %s%n  attacked %s%n", figures(quiet), figures(attacked));
    theServerIsWell(name);
    return results;
  }

  private static String figures(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    double p99 = sorted[Math.max(0, (int) Math.ceil(0.99 * sorted.length) - 1)];
    return String.format(
        Locale.ROOT,
        "median %.1f ms, p99 %.1f ms, n %d",
        sorted[sorted.length / 2],
        p99,
        sorted.length);
  }

  private void theServerIsWell(String name) throws IOException, InterruptedException {
    assertThat(server.isAlive()).as("the server lives after: " + name).isTrue();
    assertThat(neighbourRuns()).isPositive();
    long most = server.metric("atoll_memory_budget_bytes");
    assertThat(server.metric("atoll_memory_held_bytes")).isLessThanOrEqualTo(most);
    assertThat(new ServerHealth(server.pid()).heap())
        .as("heap after: " + name)
        .isLessThan(HEAP_MIB * (long) MIB * 3 / 4);
  }

  private HttpResponse<String> post(HttpClient client, String path, byte[] body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.atoll().endpoint().url() + path))
            .version(HttpClient.Version.HTTP_1_1)
            .header("Authorization", "Bearer " + attackerKey)
            .header("Content-Type", "application/json")
            .timeout(Duration.ofMinutes(2))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void outputOfEndedRunsGoesToDisk() throws Exception {
    List<Sandbox> sandboxes = List.of(attacker.sandboxes().create(), attacker.sandboxes().create());
    List<Callable<RunResult>> attempts = new ArrayList<>();
    for (int i = 0; i < 2 * HEAP_MIB; i++) {
      Sandbox sandbox = sandboxes.get(i % 2);
      attempts.add(() -> sandbox.shell("head -c 1048576 /dev/zero | tr '\\0' x"));
    }
    List<RunResult> results = attack("commands with 1 MiB of output", 4, attempts);
    assertThat(results).allMatch(result -> result.exitCode() == 0);
    assertThat(results).allMatch(result -> result.stdout().length() + result.cutBytes() >= MIB);
    await()
        .untilAsserted(
            () -> assertThat(server.metric("atoll_runs_disk_bytes")).isGreaterThan(100L * MIB));
    await()
        .untilAsserted(
            () -> assertThat(server.metric("atoll_memory_held_bytes")).isLessThan(8L * MIB));
    sandboxes.forEach(Sandbox::close);
    assertThat(server.metric("atoll_runs_disk_bytes")).isZero();
  }

  @Test
  void largeBodiesBeyondTheShareAreRefused() throws Exception {
    Sandbox sandbox = attacker.sandboxes().create();
    String path = "/v1/sandboxes/" + sandbox.id() + "/code";
    byte[] code = ("{\"code\":\"#" + "x".repeat(15 * MIB) + "\"}").getBytes(StandardCharsets.UTF_8);
    byte[] lists =
        ("{\"nothing\":[" + "[],".repeat(5 * MIB) + "[]]}").getBytes(StandardCharsets.UTF_8);
    try (HttpClient client = HttpClient.newHttpClient()) {
      List<Callable<HttpResponse<String>>> attempts = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        byte[] body = i % 4 == 3 ? lists : code;
        attempts.add(() -> post(client, path, body));
      }
      List<HttpResponse<String>> answers = attack("bodies of 15 MiB", 10, attempts);
      assertThat(answers).allMatch(a -> List.of(200, 413, 429).contains(a.statusCode()));
      List<HttpResponse<String>> refused =
          answers.stream().filter(a -> a.statusCode() == 429).toList();
      assertThat(refused).isNotEmpty();
      assertThat(refused)
          .allMatch(a -> a.headers().firstValue("Retry-After").isPresent())
          .allMatch(a -> a.body().contains("\"overloaded\""));
    }
    assertThat(sandbox.runCode("1 + 1").text()).hasValue("2");
  }

  @Test
  void largeAnswersAreCutToTheShare() throws Exception {
    Sandbox sandbox = attacker.sandboxes().create();
    String path = "/v1/sandboxes/" + sandbox.id() + "/commands";
    byte[] command =
        "{\"shell\":\"head -c 20971520 /dev/zero | tr '\\\\0' x\",\"maxOutputBytes\":67108864}"
            .getBytes(StandardCharsets.UTF_8);
    try (HttpClient client = HttpClient.newHttpClient()) {
      List<Callable<HttpResponse<String>>> attempts =
          Collections.nCopies(16, () -> post(client, path, command));
      List<HttpResponse<String>> answers = attack("answers of 20 MiB", 8, attempts);
      // One that comes while others hold the whole share is refused.
      assertThat(answers).allMatch(a -> List.of(200, 429).contains(a.statusCode()));
      assertThat(answers.stream().filter(a -> a.statusCode() == 200).map(HttpResponse::body))
          .isNotEmpty()
          .allMatch(b -> b.contains("\"exitCode\":0") && b.contains("bytes of output left out"));
    }
  }

  @Test
  void hugeHostNamesAndErrorsTakeNoMore() throws Exception {
    Sandbox sandbox = attacker.sandboxes().create(s -> s.memoryMiB(512));
    String names =
        """
        import socket
        kept = []
        for i in range(300):
            s = socket.create_connection(('127.0.0.1', 3128))
            s.sendall(b'CONNECT ' + b'a' * 60000 + str(i).encode() + b':80 HTTP/1.1\\r\\n\\r\\n')
            kept.append(s)
        len(kept)
        """;
    String errors = "raise ValueError('x' * (12 << 20))";
    String shown = "from IPython.display import display\nfor i in range(20000): display('x' * 900)";
    List<Callable<RunResult>> attempts = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      attempts.addAll(
          Arrays.asList(
              () -> sandbox.runCode(names),
              () -> sandbox.runCode(errors),
              () -> sandbox.runCode(shown)));
    }
    assertThat(attack("names of 60 KB, errors of 12 MiB, many displays", 3, attempts)).hasSize(12);
  }
}
