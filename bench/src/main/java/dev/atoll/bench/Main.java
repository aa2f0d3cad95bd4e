package dev.atoll.bench;

import dev.atoll.bench.StateMeasurements.State;
import dev.atoll.model.TemplateInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.transport.HttpClientTransport;
import dev.atoll.sdk.transport.UrlConnectionTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Measures a running server beside the bare runsc.
 *
 * <pre>
 * bench [--runs=20] [--many=50] [--json=FILE]
 *       [--only=foundation|state|forks|network|imports|packages]
 * </pre>
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
    String only = option(arguments, "--only=", "");
    Path work = Files.createTempDirectory("atoll-bench-");
    Report report = new Report();
    try {
      say(Report.header());
      if (only.isEmpty() || only.equals("foundation")) {
        RawRunsc raw = new RawRunsc(runsc, rootfs, Files.createDirectory(work.resolve("plain")));
        Path image = work.resolve("image");
        try (RawSandbox first = raw.boot()) {
          first.ask("1+1");
          first.checkpoint(image);
        }
        measure(new Measurements(atoll, raw, image, data, runs), many, report);
      }
      if (only.equals("network")) {
        try (BenchWeb web = new BenchWeb()) {
          Atoll light = Atoll.builder().transport(new UrlConnectionTransport()).build();
          measure(new NetworkMeasurements(light, web, runs), report);
        }
      }
      if (only.isEmpty() || only.equals("imports")) {
        for (Comparison one : new ImportMeasurements(atoll, runs).all()) {
          say(report.add(one));
        }
      }
      if (only.equals("packages")) {
        for (Comparison one : new PackageMeasurements(atoll, runs).all()) {
          say(report.add(one));
        }
      }
      if (List.of("", "state", "forks").contains(only)) {
        for (State state : List.of(State.bare(), State.frame())) {
          String digest = atoll.templates().build(state.template()).digest();
          Path root = data.resolve("templates").resolve(digest).resolve("rootfs");
          Path folder = Files.createDirectory(work.resolve(state.template()));
          RawRunsc raw = new RawRunsc(runsc, root, folder);
          Atoll light = Atoll.builder().transport(new UrlConnectionTransport()).build();
          StateMeasurements measurements =
              new StateMeasurements(light, raw, folder, data, runs, state);
          if (only.equals("forks")) {
            measureForks(measurements, report);
          } else {
            measure(measurements, report);
          }
        }
      }
    } finally {
      delete(work);
      report.write(json);
    }
    say("written to " + json);
  }

  /** What has bars of its own, without the rest that takes long. */
  private static void measureForks(StateMeasurements state, Report report)
      throws IOException, InterruptedException {
    Path image = state.image();
    for (Comparison one : state.claims(image)) {
      say(report.add(one));
    }
    say(report.add(state.fork(image, 5, true, "ratio ≤ 3 and p50 ≤ 80 ms")));
  }

  private static void measure(StateMeasurements state, Report report)
      throws IOException, InterruptedException {
    Path image = state.image();
    for (Comparison one : state.snapshots(image)) {
      say(report.add(one));
    }
    for (Comparison one : state.claims(image)) {
      say(report.add(one));
    }
    say(report.add(state.fork(image, 1, false, "")));
    say(report.add(state.fork(image, 5, false, "")));
    say(report.add(state.fork(image, 1, true, "")));
    say(report.add(state.fork(image, 5, true, "ratio ≤ 3 and p50 ≤ 80 ms")));
    say(report.add(state.childMemory(image)));
    for (Comparison one : state.sleep(image)) {
      say(report.add(one));
    }
  }

  private static void measure(NetworkMeasurements network, Report report)
      throws IOException, InterruptedException {
    say(report.add(network.latency()));
    say(report.add(network.throughput()));
    say(report.add(network.concurrent()));
    say(report.add(network.responsiveness()));
  }

  private static void measure(Measurements measurements, int many, Report report)
      throws IOException, InterruptedException {
    say(report.add(measurements.create("create → first result, made anew", 1000, "ratio ≤ 1.3")));
    say(report.add(measurements.create("create → first result, default", 1024, "ratio ≤ 1.3")));
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

  static void delete(Path tree) throws IOException, InterruptedException {
    // A folder that this process has just made, and nothing else.
    new ProcessBuilder("rm", "-rf", "--one-file-system", "--", tree.toString())
        .inheritIO()
        .start()
        .waitFor();
  }
}
