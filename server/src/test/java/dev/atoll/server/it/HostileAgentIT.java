package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.SandboxState;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An agent that lies costs its own sandbox at most: the server lives, holds no more than before,
 * and answers others as ever.
 *
 * <p>{@code ATOLL_HOSTILE_AGENT_SECONDS} says how long it is tried (60 without it), {@code
 * ATOLL_HOSTILE_AGENT_SEED} repeats a run that failed.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileAgentIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration CALL = Duration.ofSeconds(20);
  private static final int ATTACKERS = 2;
  private static final long SLACK = 24L << 20;
  private static final long MOST = 256L << 20;

  @TempDir static Path folder;
  private static RealServer server;
  private static ServerHealth health;
  private static Sandbox neighbour;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    RealServer.Surroundings usual = RealServer.Surroundings.usual();
    server =
        new RealServer(
            new RealServer.Surroundings(
                // As the launcher starts it.
                List.of(HostileAgent.install(folder), "-Xmx512m", "-XX:+ExitOnOutOfMemoryError"),
                usual.variables(),
                usual.templates(),
                usual.template()));
    health = new ServerHealth(server.pid());
    neighbour = server.atoll().sandboxes().create();
    neighbour.runCode("x = 0");
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static long setting(String name, long otherwise) {
    String value = System.getenv(name);
    return value == null ? otherwise : Long.parseLong(value);
  }

  static List<String> unbearable() {
    return HostileAgent.UNBEARABLE;
  }

  static List<String> neverAwake() {
    return HostileAgent.NEVER_AWAKE;
  }

  @ParameterizedTest
  @MethodSource("unbearable")
  void whatBreaksTheProtocolEndsTheSandboxWithThatReason(String mode) throws Exception {
    Sandbox sandbox = create(server.atoll(), mode, 1);
    if (sandbox == null) {
      return;
    }
    String machine = server.machineOf(sandbox.id());
    attempt(() -> sandbox.shell("echo x", o -> o.timeout(CALL)));
    await()
        .atMost(CALL)
        .untilAsserted(() -> assertThat(state(sandbox)).as(mode).isEqualTo(SandboxState.FAILED));
    assertThat(server.atoll().sandboxes().get(sandbox.id()).reason())
        .as(mode)
        .isIn("protocol_error", "crashed");
    server.assertNothingLeft(machine);
    assertThat(neighbour.runCode("6 * 7").text()).hasValue("42");
  }

  @ParameterizedTest
  @MethodSource("neverAwake")
  void whoLiesAboutWhatThereIsDoesNotWake(String mode) throws Exception {
    Sandbox sandbox = Objects.requireNonNull(create(server.impatient(), mode, 1));
    sandbox.hibernate();
    assertThatThrownBy(() -> sandbox.shell("echo x", o -> o.timeout(CALL)))
        .isInstanceOfSatisfying(
            AtollException.class,
            e -> assertThat(e.code()).isIn(ErrorCode.SANDBOX_FAILED, ErrorCode.PROTOCOL_ERROR));
    assertThat(state(sandbox)).isNotEqualTo(SandboxState.RUNNING);
    sandbox.terminate();
    assertThat(neighbour.runCode("6 * 7").text()).hasValue("42");
  }

  @Test
  void lyingForLongCrashesNothingGrowsNothingAndLeavesNeighboursAtEase() throws Exception {
    long seed = setting("ATOLL_HOSTILE_AGENT_SEED", System.nanoTime());
    Duration time = Duration.ofSeconds(setting("ATOLL_HOSTILE_AGENT_SECONDS", 60));
    System.out.println("ATOLL_HOSTILE_AGENT_SEED=" + seed);
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger attacks = new AtomicInteger();
    AtomicLong seeds = new AtomicLong(seed);
    List<Long> heaps = Collections.synchronizedList(new ArrayList<>());
    attack("warm-up", new Random(seed));
    long guests = health.threads("guest-");
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Integer> answers = threads.submit(() -> askNeighbour(over));
      List<Future<?>> attackers = new ArrayList<>();
      for (int i = 0; i < ATTACKERS; i++) {
        attackers.add(
            threads.submit(
                () -> {
                  while (!over.get()) {
                    long drawn = seeds.incrementAndGet();
                    attack("seed " + drawn, new Random(drawn));
                    attacks.incrementAndGet();
                  }
                  return null;
                }));
      }
      long end = System.nanoTime() + time.toNanos();
      while (System.nanoTime() < end && !answers.isDone()) {
        heaps.add(health.heap());
        Thread.sleep(Math.max(1000, time.toMillis() / 30));
      }
      over.set(true);
      for (Future<?> attacker : attackers) {
        attacker.get(PATIENCE.multipliedBy(4).toSeconds(), TimeUnit.SECONDS);
      }
      assertThat(answers.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isPositive();
      System.out.printf("%d attacks, %d answers of the neighbour%n", attacks.get(), answers.get());
    }
    assertThat(attacks.get()).isPositive();
    assertThat(server.pid()).satisfies(pid -> assertThat(ProcessHandle.of(pid)).isPresent());
    assertFlat(heaps);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(health.threads("guest-")).isLessThanOrEqualTo(guests));
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(health.threads("egress-")).isZero());
    assertThat(
            Files.readString(server.home().resolve("logs/it-server.out"), StandardCharsets.UTF_8))
        .doesNotContain("could not be handled", "OutOfMemoryError", "internal error");
  }

  /** What is held for a moment shows in single values; what is never let go, in the least. */
  private static void assertFlat(List<Long> heaps) {
    int third = Math.max(1, heaps.size() / 3);
    long first = Collections.min(heaps.subList(0, third));
    long last = Collections.min(heaps.subList(heaps.size() - third, heaps.size()));
    System.out.printf(
        "heap after collections: %s MiB%n", heaps.stream().map(h -> h >> 20).toList());
    assertThat(last).as("heap of the last third, against %d", first).isLessThan(first + SLACK);
    assertThat(Collections.max(heaps)).as("heap at its fullest").isLessThan(MOST);
  }

  /** Counts right answers until it is over. */
  private static int askNeighbour(AtomicBoolean over) {
    int answers = 0;
    while (!over.get()) {
      answers++;
      assertThat(neighbour.runCode("x += 1\nx").text()).hasValue(Integer.toString(answers));
      assertThat(neighbour.shell("echo " + answers).stdout()).isEqualTo(answers + "\n");
      neighbour.files().write("/tmp/file", "content " + answers);
      assertThat(neighbour.files().readText("/tmp/file")).isEqualTo("content " + answers);
    }
    return answers;
  }

  private static void attack(String what, Random random) throws Exception {
    List<String> modes = new ArrayList<>(HostileAgent.UNBEARABLE);
    modes.addAll(HostileAgent.NEVER_AWAKE);
    modes.addAll(HostileAgent.BEARABLE);
    String mode =
        random.nextInt(2) == 0 ? HostileAgent.MUTATE : modes.get(random.nextInt(modes.size()));
    Atoll atoll = server.impatient();
    Sandbox sandbox = create(atoll, mode, random.nextInt(1 << 30));
    if (sandbox == null) {
      return;
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        Runnable call = call(sandbox, random.nextInt(10));
        calls.add(threads.submit(() -> attempt(call)));
        waitAWhile(calls.getLast());
      }
      attempt(sandbox::terminate);
      // Whoever waits for the sandbox is told that it is gone.
      for (Future<?> call : calls) {
        call.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
    } catch (Exception | AssertionError e) {
      throw new AssertionError(what + ", " + mode + ": " + e, e);
    }
  }

  private static void waitAWhile(Future<?> call) throws Exception {
    try {
      call.get(3, TimeUnit.SECONDS);
    } catch (java.util.concurrent.TimeoutException e) {
      // A liar need not answer.
    }
  }

  private static Runnable call(Sandbox sandbox, int which) {
    return switch (which) {
      case 0, 1 -> () -> sandbox.runCode("print('x' * 1000)\n[1]", o -> o.timeout(CALL));
      case 2 -> () -> sandbox.shell("seq 1000; ls /", o -> o.timeout(CALL));
      case 3 -> () -> sandbox.files().list("/etc");
      case 4 -> () -> sandbox.files().write("/tmp/a", new byte[300_000]);
      case 5 -> () -> sandbox.files().readBytes("/bin/ls");
      case 6 -> sandbox::stats;
      case 7 -> () -> sandbox.ports().list();
      case 8 -> sandbox::hibernate;
      default -> () -> server.atoll().snapshots().delete(sandbox.snapshot().id());
    };
  }

  /** Anything may fail, but not by a defect of the server, nor by its absence. */
  private static void attempt(Runnable call) {
    try {
      call.run();
    } catch (AtollException e) {
      assertThat(e.code()).as(e.getMessage()).isNotEqualTo(ErrorCode.INTERNAL);
    } catch (UncheckedIOException e) {
      // A file whose sandbox is lost midway is broken off; there is no other way to tell by then.
      assertThat(e).hasRootCauseInstanceOf(EOFException.class);
    }
  }

  private static @Nullable Sandbox create(Atoll atoll, String mode, int seed) {
    try {
      return atoll
          .sandboxes()
          .create(
              s ->
                  s.env(HostileAgent.VARIABLE, mode + "-" + seed)
                      .memoryMiB(256)
                      .diskMiB(256)
                      .ttl(Duration.ofMinutes(10)));
    } catch (AtollException e) {
      // One that lies so early is never there; the reason tells.
      assertThat(e.code()).as(mode + ": " + e.getMessage()).isNotEqualTo(ErrorCode.INTERNAL);
      return null;
    }
  }

  private static SandboxState state(Sandbox sandbox) {
    return server.atoll().sandboxes().get(sandbox.id()).state();
  }
}
