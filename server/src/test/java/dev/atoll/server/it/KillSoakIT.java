package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.PoolInfo;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.model.ServiceInstance;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.ServiceOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The server is killed again and again, at random moments, while several clients create, run code,
 * write files, take snapshots, fork, merge, rewind, hibernate, claim, and use a service. What was
 * answered must be there afterwards, what was not must be there wholly or not at all, and nothing
 * else may be left.
 *
 * <p>{@code ATOLL_SOAK_KILLS} says how often; {@code ATOLL_SOAK_SEED} repeats a run's choices.
 */
class KillSoakIT {
  private static final int KILLS = number("ATOLL_SOAK_KILLS", 12);
  private static final long SEED =
      number("ATOLL_SOAK_SEED", (int) (System.nanoTime() & Integer.MAX_VALUE));
  private static final int CLIENTS = 3;

  private final SoakClient.Ledger ledger = new SoakClient.Ledger();

  /** What a client saw that it should not have seen. */
  private final Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();

  private static int number(String variable, int otherwise) {
    String text = System.getenv(variable);
    return text == null ? otherwise : Integer.parseInt(text);
  }

  @Test
  void killedAtRandomMomentsTheServerLosesNothingAndLeavesNothing() throws Exception {
    System.out.println("soak: " + KILLS + " kills, seed " + SEED);
    Random random = new Random(SEED);
    try (RealServer server = new RealServer()) {
      PoolInfo pool = server.atoll().pools().create(p -> p.name("soak").warm(1).max(50));
      server.atoll().services().deploy("web", KillSoakIT::service);
      List<SoakClient> clients =
          IntStream.range(0, CLIENTS)
              .mapToObj(i -> new SoakClient("owner-" + i, pool.id(), ledger))
              .toList();
      for (int kill = 0; kill < KILLS; kill++) {
        round(server, clients, random.nextLong(), 100 + random.nextInt(1400));
        assertThat(wrong).isEmpty();
        server.start();
        verify(server, clients, kill);
        System.out.printf(
            "soak: kill %d of %d, %d operations, %d broken off, %d snapshots%n",
            kill + 1,
            KILLS,
            ledger.operations.get(),
            ledger.brokenOff.get(),
            ledger.snapshots.size());
      }
      assertThat(ledger.operations.get()).isGreaterThan(KILLS);
      server.atoll().pools().delete(pool.id());
      clear(server);
    }
  }

  private static ServiceOptions service(ServiceOptions options) {
    return options
        .file("index.html", "at sea")
        .start("exec python3 -m http.server $PORT")
        .health("/");
  }

  /** Clients work until the server is killed under them. */
  private void round(RealServer server, List<SoakClient> clients, long seed, int millis)
      throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < clients.size(); i++) {
        SoakClient client = clients.get(i);
        Random choices = new Random(seed + i);
        threads.execute(() -> work(server, client, choices));
      }
      Thread.sleep(millis);
      server.kill();
      threads.shutdown();
      assertThat(threads.awaitTermination(5, TimeUnit.MINUTES)).isTrue();
    }
  }

  private void work(RealServer server, SoakClient client, Random choices) {
    try {
      client.work(server.impatient(), choices);
    } catch (Throwable e) {
      wrong.add(e);
    }
  }

  private void verify(RealServer server, List<SoakClient> clients, int kill) throws Exception {
    Atoll atoll = server.atoll();
    List<SandboxInfo> living = atoll.sandboxes().list().stream().toList();
    assertThat(living).noneMatch(info -> info.state() == SandboxState.CREATING);
    for (SoakClient client : clients) {
      List<SandboxInfo> own =
          living.stream().filter(info -> client.name().equals(info.name())).toList();
      assertThat(own)
          .as("sandboxes named " + client.name())
          .hasSizeBetween(client.hasOwn() ? 1 : 0, 1);
      own.forEach(info -> client.verify(atoll, info));
    }
    Set<String> instances =
        atoll.services().get("web").instances().stream()
            .map(ServiceInstance::sandbox)
            .collect(Collectors.toSet());
    for (SandboxInfo info : living) {
      if (instances.contains(info.id())) {
        continue;
      }
      Sandbox sandbox = atoll.sandboxes().handle(info.id());
      assertThat(sandbox.runCode("1 + 1").text()).as(info.toString()).hasValue("2");
      if (info.name() == null) {
        sandbox.terminate();
      }
    }
    try (ServiceCaller caller = new ServiceCaller(atoll)) {
      assertThat(caller.body("/")).isEqualTo("at sea");
    }
    Set<String> kept =
        atoll.snapshots().list().stream().map(SnapshotInfo::id).collect(Collectors.toSet());
    assertThat(kept).containsAll(ledger.snapshots.keySet());
    // One of them is tried each time, and the others are counted.
    for (String id : ledger.snapshots.keySet().stream().skip(kill % 7).limit(1).toList()) {
      try (Sandbox again = atoll.sandboxes().create(s -> s.snapshot(id))) {
        assertThat(SoakClient.value(again)).isEqualTo(ledger.snapshots.get(id));
      }
    }
    if (kept.size() > 20) {
      kept.forEach(id -> atoll.snapshots().delete(id));
      ledger.snapshots.clear();
    }
    assertMachinesBelongToSandboxes(server);
  }

  /** Every machine is a sandbox's or waits in a pool, in the end. */
  private static void assertMachinesBelongToSandboxes(RealServer server) throws Exception {
    long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
    while (true) {
      Set<String> machines = new HashSet<>(names(server.home().resolve("sandboxes")));
      // A keeper and its starter have one command line.
      long keepers =
          server.machineProcesses().stream()
              .filter(line -> line.contains("keeper "))
              .distinct()
              .count();
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
    atoll.services().delete("web");
    atoll.sandboxes().list().stream()
        .forEach(info -> atoll.sandboxes().handle(info.id()).terminate());
    atoll.snapshots().list(q -> q.automatic(true)).stream()
        .forEach(snapshot -> atoll.snapshots().delete(snapshot.id()));
    try (Stream<Path> files = Files.walk(server.home().resolve("snapshots"))) {
      assertThat(files.filter(Files::isRegularFile).toList()).isEmpty();
    }
  }
}
