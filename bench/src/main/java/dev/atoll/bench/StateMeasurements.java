package dev.atoll.bench;

import dev.atoll.model.PoolInfo;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What it costs to keep, copy and wake a state, beside a checkpoint and a restore of the same state
 * by the bare runsc.
 */
final class StateMeasurements {
  /** As many as the server's code needs to be compiled at least once. */
  private static final int WARM_UPS = 4;

  /** As many as the server's own code needs to be compiled. */
  private static final int CLAIM_WARM_UPS = 10;

  private static final int FORKS = 5;
  private static final Duration SETTLE = Duration.ofMillis(300);

  /** Longer than a machine takes to be begun. */
  private static final Duration QUIET = Duration.ofMillis(700);

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Atoll atoll;
  private final RawRunsc raw;
  private final Path work;
  private final Path data;
  private final int runs;
  private final State state;

  /**
   * A state to be measured.
   *
   * @param label what stands beside the names
   * @param setup brings a fresh Python to that state, on one line
   * @param question asks for something that only this state knows
   */
  record State(String label, String template, String setup, String question, String answer) {
    static State bare() {
      return new State("bare", "python", "x = 2", "x", "2");
    }

    boolean large() {
      return !label.equals("bare");
    }

    /** pandas imported, and a frame of 100 MB that was written to. */
    static State frame() {
      return new State(
          "pandas, 100 MB",
          "code-interpreter",
          "import pandas as pd, numpy as np; df = pd.DataFrame(np.ones((1_250_000, 10)))",
          "len(df)",
          "1250000");
    }
  }

  StateMeasurements(Atoll atoll, RawRunsc raw, Path work, Path data, int runs, State state) {
    this.atoll = atoll;
    this.raw = raw;
    this.work = work;
    this.data = data;
    this.runs = runs;
    this.state = state;
  }

  private String name(String what) {
    return what + " (" + state.label() + ")";
  }

  private Sandbox prepared(int ahead) {
    Sandbox sandbox =
        atoll
            .sandboxes()
            .create(s -> s.template(state.template()).memoryMiB(2000).forkAhead(ahead));
    sandbox.runCode(state.setup());
    return sandbox;
  }

  private void ask(Sandbox sandbox) {
    check(sandbox.runCode(state.question()).text().orElse(null));
  }

  private void check(@Nullable String answer) {
    if (!state.answer().equals(answer)) {
      throw new IllegalStateException("expected " + state.answer() + ", got " + answer);
    }
  }

  /** The bare runsc's own checkpoint of the same state. */
  Path image() throws IOException, InterruptedException {
    Path image = work.resolve("image-" + state.template());
    if (Files.exists(image)) {
      return image;
    }
    try (RawSandbox sandbox = raw.boot()) {
      sandbox.ask(state.setup());
      sandbox.checkpoint(image);
    }
    return image;
  }

  private double restoreRaw(Path image) throws IOException {
    long start = System.nanoTime();
    try (RawSandbox sandbox = raw.restore(image)) {
      sandbox.ask(state.question());
      return millis(start);
    }
  }

  List<Comparison> snapshots(Path image) throws IOException, InterruptedException {
    double[] taken = new double[runs];
    double[] rawTaken = new double[runs];
    double[] made = new double[runs];
    double[] rawMade = new double[runs];
    try (Sandbox sandbox = prepared(0);
        RawSandbox bare = raw.boot()) {
      bare.ask(state.setup());
      for (int i = -WARM_UPS; i < runs; i++) {
        Path target = work.resolve("again");
        long start = System.nanoTime();
        bare.checkpoint(target);
        double rawTake = millis(start);
        Main.delete(target);
        settle();
        start = System.nanoTime();
        SnapshotInfo snapshot = sandbox.snapshot();
        double take = millis(start);
        settle();
        double rawMake = restoreRaw(image);
        awaitBlanks();
        start = System.nanoTime();
        double make;
        try (Sandbox copy = atoll.sandboxes().create(s -> s.snapshot(snapshot.id()))) {
          ask(copy);
          make = millis(start);
        }
        atoll.snapshots().delete(snapshot.id());
        settle();
        if (i >= 0) {
          taken[i] = take;
          rawTaken[i] = rawTake;
          made[i] = make;
          rawMade[i] = rawMake;
        }
      }
    }
    return List.of(
        new Comparison(
            name("snapshot"),
            "ms",
            new Samples(taken),
            new Samples(rawTaken),
            state.large() ? "ratio ≤ 1.5" : ""),
        new Comparison(
            name("create from snapshot → answer"),
            "ms",
            new Samples(made),
            new Samples(rawMade),
            "ratio ≤ 1.3"));
  }

  /** By a bare connection, which shows what the server takes, and through the SDK. */
  List<Comparison> claims(Path image) throws IOException {
    String snapshot;
    try (Sandbox sandbox = prepared(0)) {
      snapshot = sandbox.snapshot().id();
    }
    PoolInfo pool = atoll.pools().create(p -> p.snapshot(snapshot).warm(3).max(20));
    try (PlainClient plain = new PlainClient(data)) {
      return List.of(
          claim(image, pool, ", plain connection", "p50 ≤ 10 ms", () -> claimPlainly(plain, pool)),
          claim(image, pool, ", SDK", "", () -> claimBySdk(pool)));
    } finally {
      atoll.pools().delete(pool.id());
      atoll.snapshots().delete(snapshot);
    }
  }

  private Comparison claim(
      Path image, PoolInfo pool, String client, String bar, DoubleSupplier claim)
      throws IOException {
    double[] ours = new double[runs];
    double[] theirs = new double[runs];
    for (int i = -CLAIM_WARM_UPS; i < runs; i++) {
      double rawMillis = i < 0 ? 0 : restoreRaw(image);
      awaitFull(pool.id(), 3);
      settle();
      double millis = claim.getAsDouble();
      if (i >= 0) {
        ours[i] = millis;
        theirs[i] = rawMillis;
      }
    }
    return new Comparison(
        name("claim from a warm pool → answer" + client),
        "ms",
        new Samples(ours),
        new Samples(theirs),
        bar);
  }

  private double claimPlainly(PlainClient plain, PoolInfo pool) {
    long start = System.nanoTime();
    String sandbox =
        "/v1/sandboxes/"
            + plain.post("/v1/pools/" + pool.id() + "/claim", "{}").path("id").asString();
    String code = "{\"code\":\"" + state.question() + "\"}";
    check(plain.post(sandbox + "/code", code).path("result").path("text/plain").asString());
    double millis = millis(start);
    plain.delete(sandbox);
    return millis;
  }

  private double claimBySdk(PoolInfo pool) {
    long start = System.nanoTime();
    try (Sandbox sandbox = atoll.pools().claim(pool.id())) {
      ask(sandbox);
      return millis(start);
    }
  }

  private void awaitFull(String pool, int warm) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (atoll.pools().get(pool).ready() < warm) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the pool does not fill");
      }
      settle();
    }
  }

  /** From the call until every child has answered; beside one restore by the bare runsc. */
  Comparison fork(Path image, int count, boolean ahead, String bar) throws IOException {
    double[] ours = new double[runs];
    double[] theirs = new double[runs];
    try (Sandbox parent = prepared(ahead ? count : 0)) {
      for (int i = -WARM_UPS; i < runs; i++) {
        double rawMillis = restoreRaw(image);
        // An agent's pause for thought.
        awaitForks(parent, ahead ? count : 0);
        awaitBlanks();
        settle();
        long start = System.nanoTime();
        List<Sandbox> children = parent.fork(count);
        askAll(children);
        double millis = millis(start);
        children.forEach(Sandbox::close);
        settle();
        if (i >= 0) {
          ours[i] = millis;
          theirs[i] = rawMillis;
        }
      }
    }
    return new Comparison(
        name("fork(%d) → all answer, %s".formatted(count, ahead ? "idle before" : "at once")),
        "ms",
        new Samples(ours),
        new Samples(theirs),
        bar);
  }

  private void awaitForks(Sandbox parent, int count) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try (PlainClient plain = new PlainClient(data)) {
      while (plain.metric("atoll_pool_forks") < count) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("no forks of " + parent.id() + " are prepared");
        }
        settle();
      }
    }
  }

  /**
   * Until no more machines are begun ahead: nothing of the turn before is to be paid for in this.
   */
  private void awaitBlanks() throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try (PlainClient plain = new PlainClient(data)) {
      double before = -1;
      double now = plain.metric("atoll_pool_blanks");
      while (now != before) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("machines are begun ahead without end");
        }
        LockSupport.parkNanos(QUIET.toNanos());
        before = now;
        now = plain.metric("atoll_pool_blanks");
      }
    }
  }

  private void askAll(List<Sandbox> children) {
    try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> answers = new ArrayList<>();
      for (Sandbox child : children) {
        answers.add(tasks.submit(() -> ask(child)));
      }
      for (Future<?> answer : answers) {
        answer.get();
      }
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException("a child did not answer", e);
    }
  }

  Comparison childMemory(Path image) throws IOException, InterruptedException {
    double[] ours = new double[FORKS];
    double[] theirs = new double[FORKS];
    List<RawSandbox> bare = new ArrayList<>();
    try (Sandbox parent = prepared(0)) {
      List<Sandbox> children = parent.fork(FORKS);
      askAll(children);
      for (int i = 0; i < FORKS; i++) {
        RawSandbox one = raw.restore(image);
        bare.add(one);
        one.ask(state.question());
      }
      Thread.sleep(2000);
      for (int i = 0; i < FORKS; i++) {
        ours[i] = new ServerData(data).mebibytes(children.get(i).id());
        theirs[i] = ProcessMemory.mebibytes(bare.get(i).pid());
      }
      children.forEach(Sandbox::close);
    } finally {
      for (RawSandbox one : bare) {
        one.close();
      }
    }
    return new Comparison(
        name("memory of a child (PSS)"), "MiB", new Samples(ours), new Samples(theirs), "");
  }

  List<Comparison> sleep(Path image) throws IOException {
    double[] down = new double[runs];
    double[] up = new double[runs];
    double[] theirs = new double[runs];
    try (Sandbox sandbox = prepared(0)) {
      for (int i = -WARM_UPS; i < runs; i++) {
        double rawMillis = restoreRaw(image);
        settle();
        long start = System.nanoTime();
        sandbox.hibernate();
        double slept = millis(start);
        awaitBlanks();
        start = System.nanoTime();
        ask(sandbox);
        double woke = millis(start);
        settle();
        if (i >= 0) {
          down[i] = slept;
          up[i] = woke;
          theirs[i] = rawMillis;
        }
      }
    }
    return List.of(
        new Comparison(name("hibernate"), "ms", new Samples(down), new Samples(theirs), ""),
        new Comparison(
            name("wake → answer"), "ms", new Samples(up), new Samples(theirs), "ratio ≤ 0.8"));
  }

  private static double millis(long start) {
    return (System.nanoTime() - start) / 1e6;
  }

  private static void settle() {
    LockSupport.parkNanos(SETTLE.toNanos());
  }
}
