package dev.atoll.bench;

import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.util.ArrayList;
import java.util.List;

/**
 * Processor time of sandboxes that have run code and wait for more, in percent of a core each. The
 * host counts it, agent and sentry together.
 */
final class IdleMeasurement {
  private static final long SETTLE_MILLIS = 20_000;
  private static final long MILLIS = 60_000;
  private static final double ALLOWED = 0.1;

  private final Atoll atoll;
  private final int many;

  IdleMeasurement(Atoll atoll, int many) {
    this.atoll = atoll;
    this.many = many;
  }

  /** The raw side is what the bar allows. */
  Comparison measure() throws InterruptedException {
    List<Sandbox> sandboxes = new ArrayList<>();
    try {
      for (int i = 0; i < many; i++) {
        Sandbox sandbox = atoll.sandboxes().create(s -> s.memoryMiB(256));
        sandboxes.add(sandbox);
        sandbox.runCode("x = 1");
      }
      Thread.sleep(SETTLE_MILLIS);
      List<Long> before = sandboxes.stream().map(one -> one.stats().cpuMillis()).toList();
      long began = System.nanoTime();
      Thread.sleep(MILLIS);
      double[] used = new double[many];
      double[] allowed = new double[many];
      for (int i = 0; i < many; i++) {
        double elapsed = (System.nanoTime() - began) / 1e6;
        used[i] = (sandboxes.get(i).stats().cpuMillis() - before.get(i)) / elapsed * 100;
        allowed[i] = ALLOWED;
      }
      return new Comparison(
          "idle, each of " + many, "% CPU", new Samples(used), new Samples(allowed), "ratio ≤ 1.0");
    } finally {
      sandboxes.forEach(Sandbox::terminate);
    }
  }
}
