package dev.atoll.bench;

import dev.atoll.model.TemplateInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.transport.HttpClientTransport;
import dev.atoll.sdk.transport.UrlConnectionTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Measures a running server beside the bare runsc.
 *
 * <pre>bench [--runs=20] [--many=50] [--json=FILE]</pre>
 *
 * The launcher gives {@code ATOLL_HOME} and {@code ATOLL_RUNSC} in the environment.
 */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    int runs = Integer.parseInt(option(arguments, "--runs=", "20"));
    int many = Integer.parseInt(option(arguments, "--many=", "50"));
    Path json = Path.of(option(arguments, "--json=", "bench/target/bench.json"));
    Map<String, String> env = System.getenv();
    Path data = Path.of(env.getOrDefault("ATOLL_HOME", "/var/lib/atoll"));
    Path runsc = Path.of(env.getOrDefault("ATOLL_RUNSC", "runsc"));
    Atoll atoll = Atoll.connect();
    TemplateInfo template = atoll.templates().build("python");
    Path rootfs = data.resolve("templates").resolve(template.digest()).resolve("rootfs");
    Path work = Files.createTempDirectory("atoll-bench-");
    try {
      RawRunsc raw = new RawRunsc(runsc, rootfs, work);
      Path image = work.resolve("image");
      try (RawSandbox first = raw.boot()) {
        first.ask("1+1");
        first.checkpoint(image);
      }
      measure(new Measurements(atoll, raw, image, data, runs), many, json);
    } finally {
      delete(work);
    }
  }

  private static void measure(Measurements measurements, int many, Path json)
      throws IOException, InterruptedException {
    Report report = new Report();
    say(Report.header());
    say(report.add(measurements.create()));
    say(
        report.add(
            measurements.runCode(
                "run_code over HTTP", new UrlConnectionTransport(), "p50 ≤ raw + 1 ms")));
    say(
        report.add(
            measurements.runCode("run_code, SDK's HttpClient", new HttpClientTransport(), "")));
    say(report.add(measurements.exec()));
    say(report.add(measurements.streaming()));
    say(report.add(measurements.idleMemory()));
    say(report.add(measurements.many(many)));
    report.write(json);
    say("written to " + json);
  }

  private static void say(String line) {
    System.out.println(line);
  }

  private static String option(String[] arguments, String name, String fallback) {
    for (String argument : arguments) {
      if (argument.startsWith(name)) {
        return argument.substring(name.length());
      }
    }
    return fallback;
  }

  private static void delete(Path tree) throws IOException, InterruptedException {
    // A folder that this process has just made, and nothing else.
    new ProcessBuilder("rm", "-rf", "--one-file-system", "--", tree.toString())
        .inheritIO()
        .start()
        .waitFor();
  }
}
