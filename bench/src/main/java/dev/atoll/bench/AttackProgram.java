package dev.atoll.bench;

import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.transport.UrlConnectionTransport;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The attacks as a program of its own, as somebody else's would be: what its collector and its
 * threads take is not the neighbour's client's. Says {@code ready}, begins when it is told a line,
 * and says what came of it. Its key is in the environment.
 */
final class AttackProgram {
  static final String KEY = "ATOLL_BENCH_ATTACKER";
  static final String READY = "ready";

  private AttackProgram() {}

  /**
   * Attacks.
   *
   * @param arguments the server's address, and for how many seconds to go on
   */
  public static void main(String[] arguments) throws Exception {
    URI url = URI.create(arguments[0]);
    long seconds = Long.parseLong(arguments[1]);
    String key = System.getenv(KEY);
    Atoll atoll =
        Atoll.builder()
            .url(url.toString())
            .apiKey(key)
            .transport(new UrlConnectionTransport())
            .build();
    Attacks attacks = new Attacks(atoll, url, key);
    Runtime.getRuntime().addShutdownHook(new Thread(attacks::close));
    System.out.println(READY);
    if (System.in.read() < 0) {
      return;
    }
    Thread.ofPlatform().daemon().start(AttackProgram::endWithTheBench);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<?> one : attacks.begin(threads, () -> System.nanoTime() - end < 0)) {
        one.get();
      }
    }
    System.out.println(attacks.counts());
  }

  private static void endWithTheBench() {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // The same as its end.
    }
    System.exit(1);
  }
}
