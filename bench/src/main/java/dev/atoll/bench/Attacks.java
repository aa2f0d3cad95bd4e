package dev.atoll.bench;

import dev.atoll.model.AtollException;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

/**
 * What one project does to make a server hold more than it can: output that stays, answers and
 * bodies without end, results, errors and host names of unusual size. Each is made again and again,
 * some at once; what is refused is counted.
 */
final class Attacks implements AutoCloseable {
  private static final int MIB = 1 << 20;
  private static final String NAMES =
      """
      import socket
      kept = []
      for i in range(200):
          s = socket.create_connection(('127.0.0.1', 3128))
          s.sendall(b'CONNECT ' + b'a' * 60000 + str(i).encode() + b':80 HTTP/1.1\\r\\n\\r\\n')
          kept.append(s)
      """;

  private final List<Sandbox> sandboxes = new ArrayList<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final URI url;
  private final String key;

  Attacks(Atoll atoll, URI url, String key) {
    this.url = url;
    this.key = key;
    for (int i = 0; i < 3; i++) {
      sandboxes.add(atoll.sandboxes().create(s -> s.memoryMiB(512)));
    }
  }

  private interface Attempt {
    int make() throws IOException, InterruptedException;
  }

  List<Future<?>> begin(ExecutorService threads, BooleanSupplier going) {
    byte[] code = ("{\"code\":\"#" + "x".repeat(15 * MIB) + "\"}").getBytes(StandardCharsets.UTF_8);
    byte[] lists =
        ("{\"nothing\":[" + "[],".repeat(5 * MIB) + "[]]}").getBytes(StandardCharsets.UTF_8);
    String path = "/v1/sandboxes/" + sandboxes.getFirst().id() + "/code";
    List<Future<?>> work = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Sandbox sandbox = sandboxes.get(i % 2);
      repeat(work, threads, going, "output", () -> shell(sandbox, 1, 10));
      repeat(work, threads, going, "bodies", () -> post(path, code));
    }
    repeat(work, threads, going, "lists", () -> post(path, lists));
    repeat(work, threads, going, "answers", () -> shell(sandboxes.get(1), 30, 64));
    repeat(work, threads, going, "names", () -> code(NAMES));
    repeat(work, threads, going, "errors", () -> code("raise ValueError('x' * (12 << 20))"));
    repeat(work, threads, going, "results", () -> code("'x' * (12 << 20)"));
    return work;
  }

  private void repeat(
      List<Future<?>> work,
      ExecutorService threads,
      BooleanSupplier going,
      String name,
      Attempt attempt) {
    work.add(
        threads.submit(
            () -> {
              while (going.getAsBoolean()) {
                count(name + " " + attempt.make());
              }
              return null;
            }));
  }

  private static int shell(Sandbox sandbox, int mebibytes, int limit) {
    return status(
        () ->
            sandbox.shell(
                "head -c " + (long) mebibytes * MIB + " /dev/zero | tr '\\0' x",
                o -> o.maxOutputBytes((long) limit * MIB)));
  }

  private int code(String code) {
    return status(() -> sandboxes.get(2).runCode(code));
  }

  private static int status(Runnable call) {
    try {
      call.run();
      return 200;
    } catch (AtollException e) {
      return e.code().httpStatus();
    }
  }

  private int post(String path, byte[] body) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(url.resolve(path))
            .version(HttpClient.Version.HTTP_1_1)
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    try {
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    } catch (IOException e) {
      // Refused while it was still being sent.
      return 0;
    }
  }

  private synchronized void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /** How often each was made, by the status of the answer; 0 where it broke off. */
  synchronized Map<String, Integer> counts() {
    return new TreeMap<>(counts);
  }

  @Override
  public void close() {
    sandboxes.forEach(Sandbox::terminate);
    client.close();
  }
}
