package dev.atoll.bench;

import dev.atoll.bench.StateMeasurements.State;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** One runsc beside another, with nothing of Atoll in them. */
final class RunscMeasurements {
  private static final int WARM_UPS = 2;
  private static final int MANY = 5;

  private final List<Side> sides;
  private final int runs;
  private final State state;

  private record Side(RawRunsc runsc, Path work) {
    Path image() {
      return work.resolve("compared");
    }
  }

  RunscMeasurements(
      RawRunsc ours, Path work, RawRunsc other, Path otherWork, int runs, State state) {
    this.sides = List.of(new Side(ours, work), new Side(other, otherWork));
    this.runs = runs;
    this.state = state;
  }

  /** The first column is the runsc that the server has, the second the other. */
  List<Comparison> all() throws IOException, InterruptedException {
    double[][][] values = new double[3][sides.size()][runs];
    for (int i = -WARM_UPS; i < runs; i++) {
      for (int side = 0; side < sides.size(); side++) {
        Side one = sides.get(side);
        double[] measured = {
          checkpoint(one),
          restore(one.runsc(), one.image(), 1),
          restore(one.runsc(), one.image(), MANY)
        };
        Main.delete(one.image());
        for (int kind = 0; kind < measured.length && i >= 0; kind++) {
          values[kind][side][i] = measured[kind];
        }
      }
    }
    return List.of(
        comparison("raw checkpoint, other runsc", values[0]),
        comparison("raw restore → answer, other runsc", values[1]),
        comparison("5 raw restores at once, other runsc", values[2]));
  }

  private Comparison comparison(String name, double[][] values) {
    return new Comparison(
        name + " (" + state.label() + ")",
        "ms",
        new Samples(values[0]),
        new Samples(values[1]),
        "");
  }

  private double checkpoint(Side side) throws IOException, InterruptedException {
    try (RawSandbox sandbox = side.runsc().boot()) {
      sandbox.ask(state.setup());
      long start = System.nanoTime();
      sandbox.checkpoint(side.image());
      return millis(start);
    }
  }

  private double restore(RawRunsc runsc, Path image, int count) {
    List<RawSandbox> sandboxes = new ArrayList<>();
    long start = System.nanoTime();
    try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<RawSandbox>> answers = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        answers.add(tasks.submit(() -> answered(runsc, image)));
      }
      for (Future<RawSandbox> answer : answers) {
        sandboxes.add(answer.get());
      }
      return millis(start);
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException("a raw sandbox did not answer", e);
    } finally {
      sandboxes.forEach(RawSandbox::close);
    }
  }

  private RawSandbox answered(RawRunsc runsc, Path image) throws IOException {
    RawSandbox sandbox = runsc.restore(image);
    String answer = sandbox.ask(state.question());
    if (!answer.equals(state.answer())) {
      throw new IllegalStateException("expected " + state.answer() + ", got " + answer);
    }
    return sandbox;
  }

  private static double millis(long start) {
    return (System.nanoTime() - start) / 1e6;
  }
}
