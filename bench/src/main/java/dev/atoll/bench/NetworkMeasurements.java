package dev.atoll.bench;

import dev.atoll.model.NetworkMode;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.RemoteProcess;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What the way out of a sandbox costs. The raw side is this process on the host, which fetches the
 * same from the same server without a sandbox, a proxy or a policy.
 */
final class NetworkMeasurements {
  private static final int CONNECTIONS = 1000;
  private static final int WARM_UPS = 2;
  private final Atoll atoll;
  private final BenchWeb web;
  private final int runs;

  NetworkMeasurements(Atoll atoll, BenchWeb web, int runs) {
    this.atoll = atoll;
    this.web = web;
    this.runs = runs;
  }

  private Sandbox create() {
    return atoll
        .sandboxes()
        .create(s -> s.cpus(2).network(NetworkMode.ALLOWLIST).allow(BenchWeb.ADDRESS));
  }

  Comparison throughput() throws IOException {
    double[] ours = new double[runs];
    double[] theirs = new double[runs];
    try (Sandbox sandbox = create()) {
      for (int i = -WARM_UPS; i < runs; i++) {
        long start = System.nanoTime();
        direct("/big", BenchWeb.BIG_BYTES);
        double raw = BenchWeb.BIG_BYTES / 1e6 / seconds(start);
        RunResult fetched =
            sandbox.run(
                "curl", "-sS", "-o", "/dev/null", "-w", "%{speed_download}", web.url("/big"));
        double rate = Double.parseDouble(expectSuccess(fetched)) / 1e6;
        if (i >= 0) {
          theirs[i] = raw;
          ours[i] = rate;
        }
      }
    }
    return new Comparison("download", "MB/s", new Samples(ours), new Samples(theirs), "");
  }

  /** A connection and a request of one byte. */
  Comparison latency() throws IOException {
    int count = runs * 10;
    double[] theirs = new double[count];
    for (int i = -count; i < count; i++) {
      long start = System.nanoTime();
      direct("/small", 1);
      if (i >= 0) {
        theirs[i] = seconds(start) * 1000;
      }
    }
    try (Sandbox sandbox = create()) {
      RunResult fetched =
          sandbox.runCode(
              """
              import time, urllib.request
              times = []
              for i in range(%d):
                  start = time.perf_counter()
                  urllib.request.urlopen('%s').read()
                  times.append((time.perf_counter() - start) * 1000)
              print(*times[len(times) // 2:])
              """
                  .formatted(2 * count, web.url("/small")));
      double[] ours =
          Arrays.stream(expectSuccess(fetched).strip().split(" "))
              .mapToDouble(Double::parseDouble)
              .toArray();
      return new Comparison("small request", "ms", new Samples(ours), new Samples(theirs), "");
    }
  }

  /** All open at once, then a byte through each and back. */
  Comparison concurrent() throws InterruptedException {
    long start = System.nanoTime();
    concurrentDirect();
    double raw = seconds(start) * 1000;
    try (Sandbox sandbox = create()) {
      RunResult result =
          sandbox.runCode(
              """
              import asyncio, resource, time
              resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
              async def connect():
                  reader, writer = await asyncio.open_connection('127.0.0.1', 3128)
                  writer.write(b'CONNECT %1$s:%2$d HTTP/1.1\\r\\n\\r\\n')
                  head = await reader.readuntil(b'\\r\\n\\r\\n')
                  assert b' 200 ' in head, head
                  return reader, writer
              async def echo(reader, writer):
                  writer.write(b'x')
                  assert await reader.readexactly(1) == b'x'
              async def main():
                  start = time.perf_counter()
                  open = await asyncio.gather(*(connect() for _ in range(%3$d)))
                  await asyncio.gather(*(echo(*one) for one in open))
                  print((time.perf_counter() - start) * 1000)
                  for _, writer in open: writer.close()
              await main()
              """
                  .formatted(BenchWeb.ADDRESS, web.echoPort(), CONNECTIONS),
              o -> o.timeout(Duration.ofMinutes(3)));
      double ours = Double.parseDouble(expectSuccess(result).strip());
      return new Comparison(
          CONNECTIONS + " connections at once",
          "ms",
          new Samples(ours),
          new Samples(raw),
          "all succeed");
    }
  }

  private void concurrentDirect() throws InterruptedException {
    List<Socket> open = new ArrayList<>();
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Socket>> futures = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        futures.add(pool.submit(() -> new Socket(BenchWeb.ADDRESS, web.echoPort())));
      }
      for (Future<Socket> future : futures) {
        open.add(future.get());
      }
      for (Socket one : open) {
        one.getOutputStream().write('x');
      }
      for (Socket one : open) {
        int _ = one.getInputStream().read();
        one.close();
      }
    } catch (ExecutionException | IOException e) {
      throw new IllegalStateException("one of " + CONNECTIONS + " failed", e);
    }
  }

  /** The raw side is the same sandbox while it downloads nothing. */
  Comparison responsiveness() {
    int count = runs * 20;
    try (Sandbox sandbox = create()) {
      expectSuccess(sandbox.run("curl", "-sS", "-o", "/dev/null", web.url("/small")));
      double[] idle = calls(sandbox, count);
      RemoteProcess downloads =
          sandbox.start(
              "sh", "-c", "while curl -sS -o /dev/null %s; do :; done".formatted(web.url("/big")));
      double[] busy = calls(sandbox, count);
      downloads.kill();
      return new Comparison(
          "run_code during a download, and idle",
          "ms",
          new Samples(busy),
          new Samples(idle),
          "p50 ≤ 3 × idle");
    }
  }

  private static double[] calls(Sandbox sandbox, int count) {
    double[] times = new double[count];
    for (int i = -count / 2; i < count; i++) {
      long start = System.nanoTime();
      RunResult result = sandbox.runCode("1+1");
      if (!result.text().equals(Optional.of("2"))) {
        throw new IllegalStateException("1+1 is " + result);
      }
      if (i >= 0) {
        times[i] = seconds(start) * 1000;
      }
    }
    return times;
  }

  private void direct(String path, int bytes) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(web.url(path)).toURL().openConnection();
    byte[] buffer = new byte[64 << 10];
    long received = 0;
    try (InputStream in = connection.getInputStream()) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        received += n;
      }
    }
    if (received != bytes) {
      throw new IOException("received " + received + " of " + bytes);
    }
  }

  private static String expectSuccess(RunResult result) {
    if (result.exitCode() != 0 || result.error() != null) {
      String why = result.error() == null ? result.stderr() : String.valueOf(result.error());
      throw new IllegalStateException(
          """
          sandboxes cannot reach the bench's server, or not often enough. Start Atoll's server with
            ATOLL_NETWORK_REACHABLE=%s ATOLL_NETWORK_SANDBOX_CONNECTIONS=2000 ATOLL_NETWORK_SANDBOX_BYTES_PER_SECOND=10GiB
          in its environment, and run the bench again: %s"""
              .formatted(BenchWeb.ADDRESS, why));
    }
    return result.stdout();
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }
}
