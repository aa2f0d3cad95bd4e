package dev.atoll.bench;

import dev.atoll.model.Installer;
import dev.atoll.model.PackagesResult;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.util.ArrayList;
import java.util.List;

/**
 * How long packages take from the server's cache, which the first, unmeasured turn fills. The raw
 * side is the same package manager on what it has fetched into the sandbox already, so that nothing
 * is asked of anybody: the cost of the manager alone.
 */
final class PackageMeasurements {
  private final Atoll atoll;
  private final int runs;

  PackageMeasurements(Atoll atoll, int runs) {
    this.atoll = atoll;
    this.runs = runs;
  }

  List<Comparison> all() {
    List<Comparison> measured = new ArrayList<>();
    measured.add(pip("pip install pandas", "pandas", "p50 ≤ 3000 ms"));
    measured.add(pip("pip install requests", "requests", ""));
    return measured;
  }

  private Comparison pip(String name, String what, String bar) {
    double[] ours = new double[runs];
    double[] theirs = new double[runs];
    for (int i = -1; i < runs; i++) {
      try (Sandbox sandbox = atoll.sandboxes().create()) {
        long start = System.nanoTime();
        PackagesResult result = sandbox.packages().install(Installer.PIP, what);
        double millis = (System.nanoTime() - start) / 1e6;
        if (result.installed().isEmpty()) {
          throw new IllegalStateException(what + " was there already");
        }
        if (i >= 0) {
          ours[i] = millis;
          theirs[i] = offline(sandbox, what);
        }
      }
    }
    return new Comparison(name, "ms", new Samples(ours), new Samples(theirs), bar);
  }

  private static double offline(Sandbox sandbox, String what) {
    run(sandbox, "pip download -q -d /tmp/wheels " + what);
    long start = System.nanoTime();
    run(sandbox, "pip install -q --no-index --find-links /tmp/wheels --target /tmp/again " + what);
    return (System.nanoTime() - start) / 1e6;
  }

  private static void run(Sandbox sandbox, String command) {
    RunResult result = sandbox.shell(command);
    if (!result.ok()) {
      throw new IllegalStateException(command + ": " + result);
    }
  }
}
