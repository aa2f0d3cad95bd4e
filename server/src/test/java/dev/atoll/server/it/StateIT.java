package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.Change;
import dev.atoll.model.FileDifference;
import dev.atoll.model.OnIdle;
import dev.atoll.model.PoolInfo;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import dev.atoll.model.StateDiff;
import dev.atoll.model.VariableDifference;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.InsufficientMemoryException;
import dev.atoll.sdk.RemoteProcess;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots, forks, sleep and pools with real machines. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StateIT {
  private RealServer server;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    server = new RealServer();
    server.build("code-interpreter");
    atoll = server.atoll();
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
  }

  @AfterEach
  void endAll() {
    atoll.pools().list().forEach(pool -> atoll.pools().delete(pool.id()));
    atoll.sandboxes().list().stream()
        .forEach(info -> atoll.sandboxes().handle(info.id()).terminate());
    atoll.snapshots().list(q -> q.automatic(true)).stream()
        .forEach(snapshot -> atoll.snapshots().delete(snapshot.id()));
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.call()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      Thread.sleep(50);
    }
  }

  @Test
  void installOnceThenStartFromTheSnapshot() {
    String snapshot;
    try (Sandbox setup = atoll.sandboxes().create(s -> s.template("code-interpreter"))) {
      setup.runCode(
          "import pandas as pd, numpy as np, matplotlib\nframe = pd.DataFrame({'a': range(1000)})");
      snapshot = setup.snapshot("data-ready").id();
    }
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.snapshot(snapshot))) {
      assertThat(sandbox.runCode("int(frame.a.sum()), np.__name__").text())
          .hasValue("(499500, 'numpy')");
    }
  }

  @Test
  void fiveStrategiesAndTheBestIsMerged() throws Exception {
    try (Sandbox parent = atoll.sandboxes().create(s -> s.template("code-interpreter"))) {
      parent.runCode("import pandas as pd\ndf = pd.DataFrame({'x': range(100_000)})");
      List<Sandbox> children = parent.fork(5);
      List<Integer> scores = new ArrayList<>();
      try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<Integer>> answers = new ArrayList<>();
        for (int i = 0; i < children.size(); i++) {
          Sandbox child = children.get(i);
          String strategy = "score = int(df.x[" + (i * 7 % 5) + "]); score";
          answers.add(
              tasks.submit(() -> Integer.parseInt(child.runCode(strategy).text().orElseThrow())));
        }
        for (Future<Integer> answer : answers) {
          scores.add(answer.get());
        }
      }
      int best = scores.indexOf(4);
      parent.mergeAndDestroyOthers(children.get(best));
      assertThat(parent.runCode("score, len(df)").text()).hasValue("(4, 100000)");
      assertThat(atoll.sandboxes().list().stream().map(SandboxInfo::id).toList())
          .containsExactly(parent.id());
    }
  }

  @Test
  void childrenDrawDifferentNumbersAndKnowTheirOwnNames() {
    try (Sandbox parent = atoll.sandboxes().create()) {
      parent.runCode("import random, os, socket, uuid");
      Set<String> drawn = new HashSet<>();
      List<Sandbox> children = parent.fork(3);
      for (Sandbox child : children) {
        drawn.add(
            child.runCode("random.random(), os.urandom(8), uuid.uuid4()").text().orElseThrow());
        assertThat(child.runCode("os.environ['ATOLL_SANDBOX_ID']").text())
            .hasValue("'" + child.id() + "'");
      }
      drawn.add(
          parent.runCode("random.random(), os.urandom(8), uuid.uuid4()").text().orElseThrow());
      assertThat(drawn).hasSize(4);
      children.forEach(Sandbox::terminate);
    }
  }

  @Test
  void aForkInTheMiddleOfWorkIsWhole() throws Exception {
    try (Sandbox parent = atoll.sandboxes().create()) {
      parent.runCode(
          """
          import threading, subprocess, time
          counter = [0]
          def count():
              while True:
                  counter[0] += 1
                  time.sleep(0.001)
          threading.Thread(target=count, daemon=True).start()
          half = open('/tmp/half', 'w')
          half.write('first ')
          half.flush()
          child = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
          """);
      RemoteProcess program =
          parent.start("sh", "-c", "i=0; while true; do i=$((i+1)); echo $i; sleep 0.05; done");
      List<Sandbox> children = parent.fork(2);
      String finish =
          """
          half.write('second'); half.close()
          child.stdin.write('still there\\n'); child.stdin.close()
          before = counter[0]
          while counter[0] == before: time.sleep(0.01)
          print(open('/tmp/half').read(), child.stdout.read().strip(), counter[0] > before)
          """;
      List<Sandbox> all = new ArrayList<>(children);
      all.add(parent);
      for (Sandbox one : all) {
        assertThat(one.runCode(finish).stdout()).isEqualTo("first second still there True\n");
        assertThat(one.process(program.id()).info().running()).isTrue();
      }
      children.forEach(Sandbox::terminate);
    }
  }

  @Test
  void preparedForksAreWhatAForkWouldHaveBeen() throws Exception {
    try (Sandbox parent = atoll.sandboxes().create(s -> s.forkAhead(3))) {
      parent.runCode("x = 1\nopen('/tmp/f', 'w').write('one')");
      await("three forks are prepared", () -> server.metric("atoll_pool_forks") == 3);
      List<Sandbox> children = parent.fork(3);
      for (Sandbox child : children) {
        assertThat(child.runCode("x, open('/tmp/f').read()").text()).hasValue("(1, 'one')");
      }
      parent.runCode("x = 2");
      Sandbox late = parent.fork();
      assertThat(late.runCode("x").text()).hasValue("2");
      // A thread that works on by itself: nothing may be prepared.
      parent.runCode(
          "import threading, time\nn = [0]\ndef f():\n    while True:\n        n[0] += 1; time.sleep(0.01)\n"
              + "threading.Thread(target=f, daemon=True).start()");
      Thread.sleep(2000);
      int seen = Integer.parseInt(parent.runCode("n[0]").text().orElseThrow());
      Thread.sleep(1500);
      Sandbox fresh = parent.fork();
      int copied = Integer.parseInt(fresh.runCode("n[0]").text().orElseThrow());
      assertThat(copied).isGreaterThan(seen + 50);
    }
  }

  @Test
  void forksArePreparedOnceWhatWorkedByItselfHasEnded() throws Exception {
    try (Sandbox parent = atoll.sandboxes().create(s -> s.forkAhead(1))) {
      parent.runCode(
          "import threading, time\nthreading.Thread(target=time.sleep, args=(4,)).start()");
      await("a fork is prepared", () -> server.metric("atoll_pool_forks") == 1);
    }
  }

  @Test
  void hibernationFreesTheMachineAndSurvivesAKilledServer() throws Exception {
    Sandbox sandbox =
        atoll
            .sandboxes()
            .create(
                s -> s.name("sleeper").onIdle(OnIdle.HIBERNATE).idleTimeout(Duration.ofSeconds(2)));
    String machine = server.machineOf(sandbox.id());
    sandbox.runCode("x = 'dreams'");
    sandbox.runCode("f = open('/home/sandbox/log', 'a'); f.write('a'); f.flush()");
    await("it hibernates", () -> sandbox.info().state() == SandboxState.HIBERNATED);
    server.assertNothingLeft(machine);
    server.kill();
    server.start();
    Atoll again = server.atoll();
    assertThat(again.sandboxes().get("sleeper").state()).isEqualTo(SandboxState.HIBERNATED);
    try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> answers = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        answers.add(
            tasks.submit(
                () ->
                    server
                        .atoll()
                        .sandboxes()
                        .handle("sleeper")
                        .runCode("x")
                        .text()
                        .orElseThrow()));
      }
      for (Future<String> answer : answers) {
        assertThat(answer.get()).isEqualTo("'dreams'");
      }
    }
    Sandbox awake = again.sandboxes().handle("sleeper");
    assertThat(awake.runCode("f.write('b'); f.close(); open('/home/sandbox/log').read()").text())
        .hasValue("'ab'");
    atoll = again;
  }

  @Test
  void anAgentGoesBackToBeforeTheMistake() {
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.checkpointEveryRun(5))) {
      sandbox.runCode("data = [1, 2, 3]\nopen('/tmp/data', 'w').write('precious')");
      sandbox.run("rm", "/tmp/data");
      sandbox.runCode("del data");
      sandbox.rewind(2);
      assertThat(sandbox.runCode("data, open('/tmp/data').read()").text())
          .hasValue("([1, 2, 3], 'precious')");
      assertThat(sandbox.tree().nodes()).hasSizeGreaterThanOrEqualTo(4);
    }
  }

  @Test
  void aDiffTellsFilesAndVariablesApart() {
    try (Sandbox parent = atoll.sandboxes().create()) {
      parent.runCode(
          "a = 1; b = [1]; c = 'x'\nopen('/tmp/same', 'w').write('s')\nopen('/tmp/text', 'w').write('one\\ntwo\\n')"
              + "\nopen('/tmp/gone', 'w').write('g')");
      try (Sandbox child = parent.fork()) {
        child.runCode(
            "b.append(2); d = 4; del c\nimport os\nos.remove('/tmp/gone')\nopen('/tmp/text', 'a').write('three\\n')"
                + "\nopen('/tmp/new', 'w').write('n')");
        StateDiff diff = parent.diff(child);
        assertThat(diff.files())
            .filteredOn(f -> f.path().startsWith("/tmp/"))
            .extracting(FileDifference::path, FileDifference::change)
            .containsExactlyInAnyOrder(
                org.assertj.core.groups.Tuple.tuple("/tmp/gone", Change.REMOVED),
                org.assertj.core.groups.Tuple.tuple("/tmp/new", Change.ADDED),
                org.assertj.core.groups.Tuple.tuple("/tmp/text", Change.CHANGED));
        assertThat(diff.files())
            .filteredOn(f -> f.path().equals("/tmp/text"))
            .first()
            .extracting(FileDifference::unified)
            .asString()
            .contains("+three");
        assertThat(diff.variables())
            .extracting(VariableDifference::name, VariableDifference::change)
            .contains(
                org.assertj.core.groups.Tuple.tuple("b", Change.CHANGED),
                org.assertj.core.groups.Tuple.tuple("c", Change.REMOVED),
                org.assertj.core.groups.Tuple.tuple("d", Change.ADDED))
            .doesNotContain(org.assertj.core.groups.Tuple.tuple("a", Change.CHANGED));
      }
    }
  }

  @Test
  void aSnapshotOfFilesStartsAFreshSandboxWithThem() {
    String snapshot;
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      sandbox.runCode(
          "x = 1\nimport os\nos.makedirs('/home/sandbox/project/sub')\n"
              + "open('/home/sandbox/project/sub/a.py', 'w').write('print(1)')\nos.symlink('sub/a.py', '/home/sandbox/project/link')");
      snapshot =
          sandbox.snapshot(new SnapshotRequest("files-only", Map.of(), SnapshotKind.FILES)).id();
    }
    try (Sandbox fresh = atoll.sandboxes().create(s -> s.snapshot(snapshot))) {
      assertThat(fresh.runCode("open('/home/sandbox/project/link').read()").text())
          .hasValue("'print(1)'");
      assertThat(fresh.runCode("'x' in globals()").text()).hasValue("False");
    }
  }

  @Test
  void aSnapshotIsExportedAndImported(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("state.atoll");
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      sandbox.runCode("x = 'travels'\nopen('/tmp/t', 'w').write('along')");
      SnapshotInfo taken = sandbox.snapshot();
      atoll.snapshots().exportTo(taken.id(), file);
      atoll.snapshots().delete(taken.id());
    }
    SnapshotInfo imported = atoll.snapshots().importFrom(file);
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.snapshot(imported.id()))) {
      assertThat(sandbox.runCode("x, open('/tmp/t').read()").text())
          .hasValue("('travels', 'along')");
    }
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Path broken = Files.write(folder.resolve("broken.atoll"), bytes);
    assertThatThrownBy(() -> atoll.snapshots().importFrom(broken)).hasMessageContaining("");
    assertThat(atoll.snapshots().list().stream().count()).isEqualTo(1);
  }

  /** As from a stranger: without its memory, on a root file system that is not here. */
  @Test
  void anImportIsTakenAsFiles(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("state.atoll");
    atoll
        .templates()
        .create(
            "{name: far, base: {template: python}, files: [{path: /etc/far, content: 'of the root'}]}");
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.template("far"))) {
      sandbox.runCode("x = 'stays'\nopen('/home/sandbox/t', 'w').write('along')");
      SnapshotInfo taken = sandbox.snapshot();
      atoll.snapshots().exportTo(taken.id(), file);
      atoll.snapshots().delete(taken.id());
    }
    atoll.templates().delete("far");
    SnapshotInfo imported;
    try (InputStream in = Files.newInputStream(file)) {
      imported = atoll.snapshots().importFrom(in, null, SnapshotKind.FILES);
    }
    assertThat(imported.kind()).isEqualTo(SnapshotKind.FILES);
    assertThat(imported.note()).startsWith("imported as files");
    assertThat(importedRoots(server)).hasSize(1);
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.snapshot(imported.id()))) {
      assertThat(
              sandbox
                  .runCode(
                      "open('/home/sandbox/t').read(), open('/etc/far').read(), 'x' in globals()")
                  .text())
          .hasValue("('along', 'of the root', False)");
    }
    atoll.snapshots().delete(imported.id());
    await("the root file system is gone", () -> importedRoots(server).isEmpty());
  }

  private static List<String> importedRoots(RealServer server) {
    try (Stream<Path> entries = Files.list(server.home().resolve("templates"))) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .filter(name -> name.startsWith("imported-"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void snapshotsShareWhatTheyHaveInCommon() throws Exception {
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      sandbox.runCode("import os\nblob = os.urandom(40 << 20)\nprint(len(blob))");
      SnapshotInfo first = sandbox.snapshot("first");
      sandbox.runCode("small = 1");
      SnapshotInfo second = sandbox.snapshot("second");
      assertThat(second.totalBytes()).isGreaterThan(40L << 20);
      await(
          "the second shares with the first",
          () -> atoll.snapshots().get("second").ownBytes() < 15L << 20);
      String sum =
          sandbox.runCode("import hashlib; hashlib.md5(blob).hexdigest()").text().orElseThrow();
      atoll.snapshots().delete(first.id());
      try (Sandbox again = atoll.sandboxes().create(s -> s.snapshot("second"))) {
        assertThat(again.runCode("import hashlib; hashlib.md5(blob).hexdigest()").text())
            .hasValue(sum);
      }
    }
  }

  @Test
  void aPoolIsKeptFullAndClaimed() throws Exception {
    PoolInfo pool = atoll.pools().create(p -> p.warm(3).max(20).cpus(1).memoryMiB(512));
    await("it is full", () -> atoll.pools().get(pool.id()).ready() == 3);
    try (Sandbox sandbox = atoll.pools().claim(pool.id())) {
      assertThat(sandbox.runCode("6 * 7").text()).hasValue("42");
      assertThat(sandbox.info().memoryMiB()).isEqualTo(512);
      assertThat(atoll.pools().get(pool.id()).hits()).isEqualTo(1);
      await("it is full again", () -> atoll.pools().get(pool.id()).ready() == 3);
    }
  }

  @Test
  void thirtyTwoAtOnceAndAChain() {
    try (Sandbox parent = atoll.sandboxes().create()) {
      parent.runCode("x = 0");
      List<Sandbox> children = parent.fork(32);
      assertThat(children.get(31).runCode("x").text()).hasValue("0");
      children.forEach(Sandbox::terminate);
      Sandbox at = parent;
      for (int i = 0; i < 100; i++) {
        Sandbox next = at.fork();
        next.runCode("x += 1");
        if (at != parent) {
          at.terminate();
        }
        at = next;
      }
      assertThat(at.runCode("x").text()).hasValue("100");
      at.terminate();
    }
  }

  @Test
  void aForkThatCannotFitIsRefusedAndLeavesNothing() {
    try (Sandbox parent = atoll.sandboxes().create(s -> s.memoryMiB(8192))) {
      parent.runCode("big = bytearray(1500 << 20)\nfor i in range(0, len(big), 4096): big[i] = 1");
      assertThatThrownBy(() -> parent.fork(32)).isInstanceOf(InsufficientMemoryException.class);
      assertThat(atoll.sandboxes().list().stream().count()).isEqualTo(1);
      assertThat(parent.runCode("len(big)").text()).hasValue(String.valueOf(1500 << 20));
    }
  }
}
