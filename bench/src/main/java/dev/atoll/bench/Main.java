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
 *       [--only=foundation|state|forks|bars|network|imports|packages|neighbours|idle]
 *       [--seconds=300] [--other-runsc=FILE]
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
    Report report = new Report();
    try (WorkFolder folders = new WorkFolder()) {
      Path work = folders.path();
      say(Report.header());
      if (only.isEmpty() || only.equals("foundation")) {
        Path folder = Files.createDirectory(work.resolve("plain"));
        try (RawRunsc raw = new RawRunsc(runsc, rootfs, folder)) {
          Path image = work.resolve("image");
          try (RawSandbox first = raw.boot()) {
            first.ask("1+1");
            first.checkpoint(image);
          }
          measure(new Measurements(atoll, raw, image, data, runs), many, report);
        }
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
      if (only.equals("idle")) {
        say(report.add(new IdleMeasurement(atoll, many).measure()));
      }
      if (only.equals("neighbours")) {
        int seconds = Integer.parseInt(option(arguments, "--seconds=", "300"));
        say(report.add(new NeighbourMeasurements(atoll, data, seconds, Main::say).measure()));
      }
      if (only.equals("packages")) {
        for (Comparison one : new PackageMeasurements(atoll, runs).all()) {
          say(report.add(one));
        }
      }
      if (List.of("", "state", "forks", "bars").contains(only)) {
        String other = option(arguments, "--other-runsc=", "");
        for (State state : List.of(State.bare(), State.frame())) {
          String digest = atoll.templates().build(state.template()).digest();
          Path root = data.resolve("templates").resolve(digest).resolve("rootfs");
          Path folder = Files.createDirectory(work.resolve(state.template()));
          try (RawRunsc raw = new RawRunsc(runsc, root, folder)) {
            Atoll light = Atoll.builder().transport(new UrlConnectionTransport()).build();
            measure(
                only, new StateMeasurements(light, raw, folder, data, runs, state), state, report);
            if (!other.isEmpty()) {
              compare(raw, folder, Path.of(other), root, runs, state, report);
            }
          }
        }
      }
    } finally {
      report.write(json);
    }
    say("written to " + json);
  }

  private static void measure(
      String only, StateMeasurements measurements, State state, Report report)
      throws IOException, InterruptedException {
    switch (only) {
      case "forks" -> measureForks(measurements, report);
      case "bars" -> measureBars(measurements, state, report);
      default -> measure(measurements, state, report);
    }
  }

  /** The same by another runsc, in turns with the one that the server has. */
  private static void compare(
      RawRunsc raw, Path folder, Path other, Path root, int runs, State state, Report report)
      throws IOException, InterruptedException {
    Path otherFolder = Files.createDirectory(folder.resolve("other"));
    try (RawRunsc second = new RawRunsc(other, root, otherFolder)) {
      for (Comparison one :
          new RunscMeasurements(raw, folder, second, otherFolder, runs, state).all()) {
        say(report.add(one));
      }
    }
  }

  /** What nothing has been prepared for but machines begun ahead. */
  private static void measureBars(StateMeasurements measurements, State state, Report report)
      throws IOException, InterruptedException {
    Path image = measurements.image();
    for (Comparison one : measurements.snapshots(image)) {
      say(report.add(one));
    }
    say(report.add(measurements.fork(image, 5, false, forkBar(state))));
    for (Comparison one : measurements.sleep(image)) {
      say(report.add(one));
    }
  }

  private static String forkBar(State state) {
    return state.large() ? "ratio ≤ 2.8" : "ratio ≤ 2.0";
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

  private static void measure(StateMeasurements measurements, State state, Report report)
      throws IOException, InterruptedException {
    measureBars(measurements, state, report);
    Path image = measurements.image();
    for (Comparison one : measurements.claims(image)) {
      say(report.add(one));
    }
    say(report.add(measurements.fork(image, 1, false, "")));
    say(report.add(measurements.fork(image, 1, true, "")));
    say(report.add(measurements.fork(image, 5, true, "ratio ≤ 3 and p50 ≤ 80 ms")));
    say(report.add(measurements.childMemory(image)));
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
