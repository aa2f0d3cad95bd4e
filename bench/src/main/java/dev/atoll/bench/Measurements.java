package dev.atoll.bench;

import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.RunStream;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.transport.Transport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/** What is measured; each measurement takes turns between Atoll and the bare runsc. */
final class Measurements {
  private static final int STREAM_BYTES = 16 << 20;

  /** Unmeasured turns first: the server's and the client's JVMs compile what they run often. */
  private static final int WARM_UPS = 5;

  private static final int WARM_UP_CALLS = 1000;

  /** Unmeasured calls at the beginning of each turn. */
  private static final int BATCH = 100;

  private static final int ROUNDS = 3;

  /** Between turns, so that what one has left to clean up does not slow the other down. */
  private static final Duration SETTLE = Duration.ofMillis(200);

  private static final Duration REFILL = Duration.ofSeconds(2);

  private final Atoll atoll;
  private final RawRunsc raw;
  private final Path image;
  private final ServerData data;
  private final int runs;

  /**
   * Makes the measurements' setting.
   *
   * @param image a checkpoint of the raw loop
   * @param data the server's data directory, where the keepers' pids are
   */
  Measurements(Atoll atoll, RawRunsc raw, Path image, Path data, int runs) {
    this.atoll = atoll;
    this.raw = raw;
    this.image = image;
    this.data = new ServerData(data);
    this.runs = runs;
  }

  /**
   * With the default amount of memory a create is served from the default pool; with any other a
   * machine is made for it.
   */
  Comparison create(String name, int memoryMiB, String bar) throws IOException {
    double[] ours = new double[runs];
    double[] theirs = new double[runs];
    for (int i = -WARM_UPS; i < runs; i++) {
      long start = System.nanoTime();
      double rawMillis;
      try (RawSandbox sandbox = raw.restore(image)) {
        expect("2", sandbox.ask("1+1"));
        rawMillis = millis(start);
      }
      settle();
      start = System.nanoTime();
      double millis;
      try (Sandbox sandbox = atoll.sandboxes().create(s -> s.memoryMiB(memoryMiB))) {
        expect("2", sandbox.runCode("1+1").text().orElse(null));
        millis = millis(start);
      }
      settle();
      if (i >= 0) {
        theirs[i] = rawMillis;
        ours[i] = millis;
      }
    }
    return new Comparison(name, "ms", new Samples(ours), new Samples(theirs), bar);
  }

  /** The same call over one of the SDK's transports, which differ in what they cost the client. */
  Comparison runCode(String name, Transport transport, String bar) throws IOException {
    int count = runs * 50;
    Atoll client = Atoll.builder().transport(transport).build();
    double[] ours = new double[count];
    double[] theirs = new double[count];
    try (Sandbox sandbox = client.sandboxes().create()) {
      for (int i = 0; i < WARM_UP_CALLS; i++) {
        expect("2", sandbox.runCode("1+1").text().orElse(null));
      }
    }
    // One of the two at a time: a sandbox that waits for its turn would take CPU time from the
    // other.
    for (int round = 0; round < ROUNDS; round++) {
      int first = round * count / ROUNDS;
      int end = (round + 1) * count / ROUNDS;
      try (RawSandbox bare = raw.restore(image)) {
        for (int i = first - BATCH; i < end; i++) {
          long start = System.nanoTime();
          expect("2", bare.ask("1+1"));
          record(theirs, first, i, start);
        }
      }
      settle();
      try (Sandbox sandbox = client.sandboxes().create()) {
        // The pool makes up for the one that was taken meanwhile; that is not what is measured.
        LockSupport.parkNanos(REFILL.toNanos());
        for (int i = first - BATCH; i < end; i++) {
          long start = System.nanoTime();
          expect("2", sandbox.runCode("1+1").text().orElse(null));
          record(ours, first, i, start);
        }
      }
      settle();
    }
    return new Comparison(name, "ms", new Samples(ours), new Samples(theirs), bar);
  }

  Comparison exec() throws IOException {
    double[] ours = new double[runs];
    double[] theirs = new double[runs];
    try (RawSandbox bare = raw.restore(image);
        Sandbox sandbox = atoll.sandboxes().create()) {
      bare.ask("import subprocess");
      for (int i = -2; i < runs; i++) {
        long start = System.nanoTime();
        expect("0", bare.ask("subprocess.run(['/bin/true']).returncode"));
        double rawMillis = millis(start);
        start = System.nanoTime();
        expect("0", Integer.toString(sandbox.run("/bin/true").exitCode()));
        double millis = millis(start);
        if (i >= 0) {
          theirs[i] = rawMillis;
          ours[i] = millis;
        }
      }
    }
    return new Comparison("exec round trip", "ms", new Samples(ours), new Samples(theirs), "");
  }

  Comparison streaming() throws IOException {
    int count = Math.max(3, runs / 4);
    double[] ours = new double[count];
    double[] theirs = new double[count];
    String python =
        "import sys; _ = sys.stdout.write(('x' * 1023 + '\\n') * " + STREAM_BYTES / 1024 + ")";
    try (RawSandbox bare = raw.restore(image);
        Sandbox sandbox = atoll.sandboxes().create()) {
      for (int i = 0; i < count; i++) {
        long start = System.nanoTime();
        bare.ask(python);
        bare.skip(STREAM_BYTES - 1024);
        theirs[i] = rate(start);
        bare.ask("1");
        start = System.nanoTime();
        long received = 0;
        try (RunStream stream =
            sandbox.streamCode(python, options -> options.maxOutputBytes(2L * STREAM_BYTES))) {
          for (RunEvent event : stream) {
            if (event instanceof RunEvent.Stdout output && output.text() != null) {
              received += output.text().length();
            }
          }
        }
        expect(Integer.toString(STREAM_BYTES), Long.toString(received));
        ours[i] = rate(start);
      }
    }
    return new Comparison("streaming output", "MB/s", new Samples(ours), new Samples(theirs), "");
  }

  Comparison many(int count) throws IOException, InterruptedException {
    List<RawSandbox> bare = new ArrayList<>();
    List<Sandbox> sandboxes = new ArrayList<>();
    try {
      long start = System.nanoTime();
      atOnce(
          count,
          () -> {
            RawSandbox sandbox = raw.restore(image);
            synchronized (bare) {
              bare.add(sandbox);
            }
            expect("2", sandbox.ask("1+1"));
            return null;
          });
      double rawMillis = millis(start);
      for (RawSandbox sandbox : bare) {
        sandbox.close();
      }
      bare.clear();
      start = System.nanoTime();
      atOnce(
          count,
          () -> {
            Sandbox sandbox = atoll.sandboxes().create();
            synchronized (sandboxes) {
              sandboxes.add(sandbox);
            }
            RunResult result = sandbox.runCode("1+1");
            expect("2", result.text().orElse(null));
            return null;
          });
      double millis = millis(start);
      return new Comparison(
          count + " created at once, all answered",
          "ms",
          new Samples(millis),
          new Samples(rawMillis),
          "all succeed");
    } finally {
      for (RawSandbox sandbox : bare) {
        sandbox.close();
      }
      sandboxes.forEach(Sandbox::close);
    }
  }

  private static void atOnce(int count, Callable<?> task) throws InterruptedException {
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> futures = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        futures.add(pool.submit(task));
      }
      for (Future<?> future : futures) {
        future.get();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("one of " + count + " failed", e.getCause());
    }
  }

  Comparison idleMemory() throws IOException, InterruptedException {
    int count = Math.max(3, runs / 4);
    double[] ours = new double[count];
    double[] theirs = new double[count];
    List<AutoCloseable> open = new ArrayList<>();
    try {
      List<RawSandbox> bare = new ArrayList<>();
      List<Sandbox> sandboxes = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        RawSandbox one = raw.restore(image);
        open.add(one);
        one.ask("1+1");
        bare.add(one);
        Sandbox other = atoll.sandboxes().create();
        open.add(other);
        other.runCode("1+1");
        sandboxes.add(other);
      }
      Thread.sleep(2000);
      for (int i = 0; i < count; i++) {
        theirs[i] = ProcessMemory.mebibytes(bare.get(i).pid());
        ours[i] = data.mebibytes(sandboxes.get(i).id());
      }
    } finally {
      closeAll(open);
    }
    return new Comparison(
        "idle memory of a sandbox", "MiB", new Samples(ours), new Samples(theirs), "ratio ≤ 1.3");
  }

  private static void closeAll(List<AutoCloseable> open) {
    for (AutoCloseable each : open) {
      try {
        each.close();
      } catch (Exception e) {
        throw new IllegalStateException("could not clean up", e);
      }
    }
  }

  private static void record(double[] samples, int first, int index, long start) {
    if (index >= first) {
      samples[index] = millis(start);
    }
  }

  private static double millis(long start) {
    return (System.nanoTime() - start) / 1e6;
  }

  private static void settle() {
    LockSupport.parkNanos(SETTLE.toNanos());
  }

  private static double rate(long start) {
    return STREAM_BYTES / 1e6 / ((System.nanoTime() - start) / 1e9);
  }

  private static void expect(String expected, @org.jspecify.annotations.Nullable String actual) {
    if (!expected.equals(actual)) {
      throw new IllegalStateException("expected " + expected + ", got " + actual);
    }
  }
}
