package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.AtollException;
import dev.atoll.model.PoolInfo;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The server is killed again and again, at random moments, while several clients take snapshots,
 * fork, merge, hibernate, wake and claim. What was answered must be there afterwards, what was not
 * must be there wholly or not at all, and nothing else may be left.
 *
 * <p>{@code ATOLL_CHAOS_KILLS} says how often; {@code ATOLL_CHAOS_SEED} repeats a run's choices.
 */
class StateChaosIT {
  private static final int KILLS = number("ATOLL_CHAOS_KILLS", 12);
  private static final long SEED = number("ATOLL_CHAOS_SEED", (int) System.nanoTime());
  private static final int CLIENTS = 3;

  /** Snapshots that the server has acknowledged, with what the variable was then. */
  private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();

  /** What a client saw that it should not have seen. */
  private final Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();

  private final AtomicLong operations = new AtomicLong();
  private final AtomicLong broken = new AtomicLong();

  private static int number(String variable, int otherwise) {
    String text = System.getenv(variable);
    return text == null ? otherwise : Integer.parseInt(text);
  }

  @Test
  void killedAtRandomMomentsTheServerLosesNothingAndLeavesNothing() throws Exception {
    System.out.println("chaos: " + KILLS + " kills, seed " + SEED);
    Random random = new Random(SEED);
    try (RealServer server = new RealServer()) {
      PoolInfo pool = server.atoll().pools().create(p -> p.name("chaos").warm(1).max(50));
      for (int kill = 0; kill < KILLS; kill++) {
        round(server, pool.id(), random.nextLong(), 100 + random.nextInt(1400));
        assertThat(wrong).isEmpty();
        server.start();
        verify(server, kill);
        System.out.printf(
            "chaos: kill %d of %d, %d operations, %d broken off, %d snapshots%n",
            kill + 1, KILLS, operations.get(), broken.get(), acknowledged.size());
      }
      assertThat(operations.get()).isGreaterThan(KILLS);
      server.atoll().pools().delete(pool.id());
      clear(server);
    }
  }

  /** Clients work until the server is killed under them. */
  private void round(RealServer server, String pool, long seed, int millis) throws Exception {
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CLIENTS; i++) {
        String name = "owner-" + i;
        Random choices = new Random(seed + i);
        clients.execute(() -> work(server.impatient(), pool, name, choices));
      }
      Thread.sleep(millis);
      server.kill();
      clients.shutdown();
      assertThat(clients.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  private void work(Atoll atoll, String pool, String name, Random choices) {
    try {
      Sandbox own = atoll.spaces().openOrCreate(name, s -> s.persistent());
      own.runCode("n = globals().get('n', 0)");
      while (true) {
        step(atoll, pool, own, choices);
        operations.incrementAndGet();
      }
    } catch (AtollException e) {
      // The server is gone, or was about to be.
      broken.incrementAndGet();
    } catch (Throwable e) {
      wrong.add(e);
    }
  }

  private void step(Atoll atoll, String pool, Sandbox own, Random choices) {
    switch (choices.nextInt(6)) {
      case 0 -> {
        long value = next(own);
        SnapshotInfo taken = own.snapshot();
        acknowledged.put(taken.id(), value);
      }
      case 1 -> {
        long value = next(own);
        for (Sandbox child : own.fork(2)) {
          assertThat(value(child)).isEqualTo(value);
          child.terminate();
        }
      }
      case 2 -> {
        Sandbox child = own.fork();
        long value = next(child);
        own.mergeAndDestroyOthers(child);
        assertThat(value(own)).isEqualTo(value);
      }
      case 3 -> own.hibernate();
      case 4 -> next(own);
      default -> {
        Sandbox claimed = atoll.pools().claim(pool);
        assertThat(claimed.runCode("6 * 7").text()).isEqualTo("42");
        claimed.terminate();
      }
    }
  }

  private static long next(Sandbox sandbox) {
    return Long.parseLong(String.valueOf(sandbox.runCode("n += 1; n").text()));
  }

  private static long value(Sandbox sandbox) {
    return Long.parseLong(String.valueOf(sandbox.runCode("n").text()));
  }

  private void verify(RealServer server, int kill) throws Exception {
    Atoll atoll = server.atoll();
    List<SandboxInfo> living = atoll.sandboxes().list().stream().toList();
    assertThat(living).noneMatch(info -> info.state() == SandboxState.CREATING);
    for (int i = 0; i < CLIENTS; i++) {
      String name = "owner-" + i;
      assertThat(living.stream().filter(info -> name.equals(info.name())).count())
          .as("sandboxes named " + name)
          .isLessThanOrEqualTo(1);
    }
    for (SandboxInfo info : living) {
      Sandbox sandbox = atoll.sandboxes().handle(info.id());
      assertThat(sandbox.runCode("1 + 1").text()).as(info.toString()).isEqualTo("2");
      if (info.name() == null) {
        sandbox.terminate();
      }
    }
    Set<String> kept =
        atoll.snapshots().list().stream().map(SnapshotInfo::id).collect(Collectors.toSet());
    assertThat(kept).containsAll(acknowledged.keySet());
    // One of them is tried each time, and the others are counted.
    for (String id : acknowledged.keySet().stream().skip(kill % 7).limit(1).toList()) {
      try (Sandbox again = atoll.sandboxes().create(s -> s.snapshot(id))) {
        assertThat(value(again)).isEqualTo(acknowledged.get(id));
      }
    }
    if (kept.size() > 20) {
      kept.forEach(id -> atoll.snapshots().delete(id));
      acknowledged.clear();
    }
    assertMachinesBelongToSandboxes(server);
  }

  /** Every machine is a sandbox's or waits in a pool, in the end. */
  private static void assertMachinesBelongToSandboxes(RealServer server) throws Exception {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (true) {
      Set<String> machines = new HashSet<>(names(server.home().resolve("sandboxes")));
      long keepers =
          server.machineProcesses().stream().filter(line -> line.contains("keeper ")).count();
      Atoll atoll = server.atoll();
      long running =
          atoll.sandboxes().list().stream()
              .filter(info -> info.state() == SandboxState.RUNNING)
              .count();
      long waiting = server.metric("atoll_pool_ready") + server.metric("atoll_pool_blanks");
      if (keepers == running + waiting && machines.size() == running + waiting) {
        return;
      }
      assertThat(System.nanoTime())
          .as(
              "%d keepers, folders %s, %d sandboxes, %d waiting"
                  .formatted(keepers, machines, running, waiting))
          .isLessThan(deadline);
      Thread.sleep(100);
    }
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(entry -> String.valueOf(entry.getFileName())).toList();
    }
  }

  /** With the last sandbox and the last snapshot goes the last image. */
  private static void clear(RealServer server) throws IOException {
    Atoll atoll = server.atoll();
    atoll.sandboxes().list().stream()
        .forEach(info -> atoll.sandboxes().handle(info.id()).terminate());
    atoll.snapshots().list(q -> q.automatic(true)).stream()
        .forEach(snapshot -> atoll.snapshots().delete(snapshot.id()));
    try (Stream<Path> files = Files.walk(server.home().resolve("snapshots"))) {
      assertThat(files.filter(Files::isRegularFile).toList()).isEmpty();
    }
  }
}
