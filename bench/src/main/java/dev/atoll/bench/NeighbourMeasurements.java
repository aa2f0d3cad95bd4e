package dev.atoll.bench;

import dev.atoll.model.ApiKeyInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.transport.UrlConnectionTransport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One project's {@code run_code} while another tries to use up the server: quiet first, then beside
 * the attacks, with the server's heap over time.
 */
final class NeighbourMeasurements {
  private static final int TENTHS = 10;

  private final Atoll atoll;
  private final Path data;
  private final int seconds;
  private final Consumer<String> report;

  NeighbourMeasurements(Atoll atoll, Path data, int seconds, Consumer<String> report) {
    this.atoll = atoll;
    this.data = data;
    this.seconds = seconds;
    this.report = report;
  }

  Comparison measure() throws IOException, InterruptedException {
    ApiKeyInfo one = atoll.keys().create("bench-attacker", "bench-attacker");
    ApiKeyInfo other = atoll.keys().create("bench-neighbour", "bench-neighbour");
    try (Sandbox neighbour = as(other).sandboxes().create()) {
      Samples quiet = runs(neighbour, until(Math.max(5, seconds / 5)));
      Samples attacked;
      List<double[]> heap = new ArrayList<>();
      String attempts;
      Process attacks = begin(one);
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        expect(attacks, AttackProgram.READY);
        attacks.outputWriter().write("\n");
        attacks.outputWriter().flush();
        BooleanSupplier going = until(seconds);
        Future<?> watch = threads.submit(() -> watch(heap, going));
        attacked = runs(neighbour, going);
        finish(watch);
        attempts = attacks.inputReader().readLine();
        if (attempts == null || attacks.waitFor() != 0) {
          throw new IllegalStateException("an attack ended otherwise than it should");
        }
      } finally {
        attacks.destroy();
      }
      tell(heap, attempts);
      report.accept(
          String.format(
              Locale.ROOT,
              "run_code quiet: p50 %.2f ms, p99 %.2f ms, n %d; beside attacks: p50 %.2f ms, p99 %.2f ms,"
                  + " n %d; p99 is %.2f times the quiet one",
              quiet.median(),
              quiet.p99(),
              quiet.count(),
              attacked.median(),
              attacked.p99(),
              attacked.count(),
              attacked.p99() / quiet.p99()));
      return new Comparison(
          "run_code beside attacks, quiet", "ms", attacked, quiet, "p99 ≤ 5 × quiet p99");
    } finally {
      // A key is its project's own affair.
      as(one).keys().revoke(one.id());
      as(other).keys().revoke(other.id());
    }
  }

  private Atoll as(ApiKeyInfo key) {
    return Atoll.builder()
        .url(atoll.endpoint().url().toString())
        .apiKey(String.valueOf(key.secret()))
        .transport(new UrlConnectionTransport())
        .build();
  }

  private static BooleanSupplier until(int length) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(length);
    return () -> System.nanoTime() - end < 0;
  }

  private static Samples runs(Sandbox sandbox, BooleanSupplier going) {
    List<Double> taken = new ArrayList<>();
    while (going.getAsBoolean()) {
      long begun = System.nanoTime();
      String text = sandbox.runCode("6 * 7").text().orElse(null);
      taken.add((System.nanoTime() - begun) / 1e6);
      if (!"42".equals(text)) {
        throw new IllegalStateException("6 * 7 is " + text);
      }
    }
    return new Samples(taken.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** Notes the heap in use and what is held because of clients, each second. */
  private void watch(List<double[]> heap, BooleanSupplier going) {
    try (PlainClient client = new PlainClient(data)) {
      while (going.getAsBoolean()) {
        heap.add(
            new double[] {
              client.metric("jvm_memory_used_bytes{area=\"heap\""),
              client.metric("atoll_memory_held_bytes")
            });
        TimeUnit.SECONDS.sleep(1);
      }
    } catch (IOException e) {
      throw new IllegalStateException("the server cannot be watched", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** In a session of its own, so that the host shares its processors out as it does to others. */
  private Process begin(ApiKeyInfo key) throws IOException {
    ProcessBuilder program =
        new ProcessBuilder(
                "setsid",
                "--wait",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                AttackProgram.class.getName(),
                atoll.endpoint().url().toString(),
                String.valueOf(seconds))
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    program.environment().put(AttackProgram.KEY, String.valueOf(key.secret()));
    return program.start();
  }

  private static void expect(Process program, String said) throws IOException {
    String line = program.inputReader().readLine();
    if (!said.equals(line)) {
      throw new IllegalStateException("the attacks did not begin: " + line);
    }
  }

  private static void finish(Future<?> work) throws InterruptedException {
    try {
      work.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the server could not be watched", e.getCause());
    }
  }

  /** The least heap in each tenth of the time: what collections leave, and no garbage. */
  private void tell(List<double[]> heap, String attempts) {
    report.accept(String.format(Locale.ROOT, "attempts: %s", attempts));
    StringBuilder line = new StringBuilder("heap left by collections, MiB, in tenths:");
    for (int tenth = 0; tenth < TENTHS; tenth++) {
      int from = heap.size() * tenth / TENTHS;
      int to = Math.max(from + 1, heap.size() * (tenth + 1) / TENTHS);
      double least =
          heap.subList(from, Math.min(to, heap.size())).stream()
              .mapToDouble(sample -> sample[0])
              .min()
              .orElse(0);
      line.append(String.format(Locale.ROOT, " %.0f", least / (1 << 20)));
    }
    report.accept(line.toString());
    report.accept(
        String.format(
            Locale.ROOT,
            "most heap in use %.0f MiB, most held because of clients and guests %.0f MiB",
            heap.stream().mapToDouble(sample -> sample[0]).max().orElse(0) / (1 << 20),
            heap.stream().mapToDouble(sample -> sample[1]).max().orElse(0) / (1 << 20)));
  }
}
