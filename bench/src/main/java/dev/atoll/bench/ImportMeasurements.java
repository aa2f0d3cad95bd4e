package dev.atoll.bench;

import dev.atoll.model.RunResult;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.util.ArrayList;
import java.util.List;

/**
 * What a template saves that imports libraries before its checkpoint. The raw side is the same
 * sandbox with a second kernel, which has imported nothing: the files it reads are warm then.
 */
final class ImportMeasurements {
  private static final String TEMPLATE = "code-interpreter";
  private static final String FIGURE =
      "import io, matplotlib.pyplot as plt; plt.plot([1, 2]); plt.savefig(io.BytesIO()); plt.close()";

  private final Atoll atoll;
  private final int runs;

  ImportMeasurements(Atoll atoll, int runs) {
    this.atoll = atoll;
    this.runs = runs;
  }

  List<Comparison> all() {
    atoll.templates().build(TEMPLATE);
    List<Comparison> measured = new ArrayList<>();
    measured.add(compare("import pandas", "import pandas", "p50 ≤ 5 ms"));
    measured.add(compare("import matplotlib and a first figure", FIGURE, ""));
    return measured;
  }

  private Comparison compare(String name, String code, String bar) {
    double[] ours = new double[runs];
    double[] theirs = new double[runs];
    for (int i = 0; i < runs; i++) {
      try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template(TEMPLATE))) {
        ours[i] = millis(sandbox, code, "default");
        theirs[i] = millis(sandbox, code, "other");
      }
    }
    return new Comparison(name, "ms", new Samples(ours), new Samples(theirs), bar);
  }

  /** Timed inside, so that neither the start of a kernel nor the way there and back counts. */
  private static double millis(Sandbox sandbox, String code, String context) {
    RunResult result =
        sandbox.runCode(
            "import time\nbegan = time.perf_counter()\n"
                + code
                + "\n(time.perf_counter() - began) * 1000",
            c -> c.context(context));
    if (!result.ok() || result.text().isEmpty()) {
      throw new IllegalStateException(code + ": " + result);
    }
    return Double.parseDouble(result.text().get());
  }
}
