package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.AtollException;
import dev.atoll.model.CheckpointPolicy;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.ForkResult;
import dev.atoll.model.MergeRequest;
import dev.atoll.model.OnIdle;
import dev.atoll.model.RewindRequest;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import dev.atoll.model.StateKind;
import dev.atoll.model.StateTree;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateTest {
  @TempDir Path folder;
  private EngineHarness harness;

  @BeforeEach
  void open() throws IOException {
    harness = new EngineHarness(folder);
  }

  @AfterEach
  void close() {
    harness.close();
  }

  private static SandboxSpec spec(
      @Nullable String name,
      @Nullable Double idle,
      @Nullable String snapshot,
      @Nullable OnIdle onIdle,
      @Nullable CheckpointPolicy checkpoints,
      @Nullable Integer ahead) {
    return new SandboxSpec(
        name,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        idle,
        null,
        null,
        snapshot,
        onIdle,
        checkpoints,
        ahead,
        null);
  }

  private SandboxInfo create(SandboxSpec spec) {
    return harness.sandboxes().create(PROJECT, spec, null);
  }

  private SandboxInfo info(String id) {
    return harness.sandboxes().get(PROJECT, id);
  }

  private SnapshotInfo snapshot(String sandbox, @Nullable String name) {
    return harness
        .engine()
        .snapshots()
        .create(PROJECT, sandbox, new SnapshotRequest(name, Map.of(), SnapshotKind.MEMORY));
  }

  private static void assertCode(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(AtollException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private String out(String sandbox, String code) {
    return harness.run(sandbox, code).stdout();
  }

  // Snapshots.

  @Test
  void aSandboxMadeFromASnapshotHasItsVariables() {
    String id = harness.create();
    harness.run(id, "x = 41");
    SnapshotInfo taken = snapshot(id, "base");
    harness.run(id, "x = 1");
    SandboxInfo second = create(spec(null, null, "base", null, null, null));
    assertThat(out(second.id(), "print(x + 1)")).isEqualTo("42\n");
    assertThat(out(id, "print(x)")).isEqualTo("1\n");
    assertThat(second.snapshot()).isEqualTo(taken.id());
    assertThat(second.tree()).isEqualTo(id);
    assertThat(taken.totalBytes()).isPositive();
    assertCode(ErrorCode.NAME_TAKEN, () -> snapshot(id, "base"));
  }

  @Test
  void limitsAndVariablesOfASnapshotCanBeReplaced() {
    String id = harness.create();
    String taken = snapshot(id, null).id();
    SandboxInfo like = create(spec(null, null, taken, null, null, null));
    assertThat(like.memoryMiB()).isEqualTo(1024);
    SandboxInfo other =
        create(
            new SandboxSpec(
                null,
                null,
                null,
                256,
                null,
                null,
                Map.of("A", "b"),
                Map.of("m", "n"),
                null,
                null,
                null,
                null,
                taken,
                null,
                null,
                null,
                null));
    assertThat(other.memoryMiB()).isEqualTo(256);
    assertThat(other.env()).containsEntry("A", "b");
    assertThat(other.metadata()).containsEntry("m", "n");
  }

  @Test
  void snapshotsAreListedFoundAndDeletedOnlyInTheirProject() {
    String id = harness.create();
    String first = snapshot(id, "one").id();
    String second = snapshot(id, null).id();
    Snapshots snapshots = harness.engine().snapshots();
    SnapshotQuery all = new SnapshotQuery(50, null, null, null, Set.of(), null, Map.of());
    assertThat(snapshots.list(PROJECT, all).items())
        .extracting(SnapshotInfo::id)
        .containsExactly(second, first);
    assertThat(snapshots.list("other", all).items()).isEmpty();
    assertCode(ErrorCode.SNAPSHOT_NOT_FOUND, () -> snapshots.get("other", first));
    assertThat(snapshots.get(PROJECT, second).parent()).isEqualTo(first);
    snapshots.delete(PROJECT, "one");
    assertCode(ErrorCode.SNAPSHOT_NOT_FOUND, () -> snapshots.get(PROJECT, first));
    // The child of a deleted parent is whole.
    SandboxInfo made = create(spec(null, null, second, null, null, null));
    assertThat(made.state()).isEqualTo(SandboxState.RUNNING);
  }

  @Test
  void snapshotsSurviveTheServerAndTheEndOfTheirSandbox() {
    String id = harness.create();
    harness.run(id, "x = 7");
    String taken = snapshot(id, null).id();
    harness.sandboxes().terminate(PROJECT, id);
    harness.restart();
    String second = create(spec(null, null, taken, null, null, null)).id();
    assertThat(out(second, "print(x)")).isEqualTo("7\n");
  }

  @Test
  void aSnapshotTravelsToAnotherServer() throws IOException {
    String id = harness.create();
    harness.run(id, "x = 5");
    snapshot(id, "mine");
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    harness.engine().snapshots().export(PROJECT, "mine", file);
    try (EngineHarness elsewhere = new EngineHarness(folder.resolve("elsewhere"))) {
      SnapshotInfo imported =
          elsewhere
              .engine()
              .snapshots()
              .importFrom(PROJECT, new ByteArrayInputStream(file.toByteArray()), "theirs");
      assertThat(imported.name()).isEqualTo("theirs");
      SandboxInfo made =
          elsewhere.sandboxes().create(PROJECT, spec(null, null, "theirs", null, null, null), null);
      assertThat(elsewhere.run(made.id(), "print(x)").stdout()).isEqualTo("5\n");
      byte[] cut = java.util.Arrays.copyOf(file.toByteArray(), file.size() - 100);
      assertCode(
          ErrorCode.INVALID_ARGUMENT,
          () ->
              elsewhere
                  .engine()
                  .snapshots()
                  .importFrom(PROJECT, new ByteArrayInputStream(cut), null));
    }
  }

  // Fork and merge.

  @Test
  void childrenHaveTheParentsStateAndGoTheirOwnWays() {
    String parent = harness.create();
    harness.run(parent, "x = 1");
    ForkResult forked = harness.sandboxes().fork(PROJECT, parent, ForkRequest.of(3));
    assertThat(forked.prepared()).isFalse();
    List<String> ids = forked.children().stream().map(SandboxInfo::id).toList();
    assertThat(new HashSet<>(ids)).hasSize(3).doesNotContain(parent);
    for (int i = 0; i < ids.size(); i++) {
      harness.run(ids.get(i), "x = x + " + (i + 1) * 10);
    }
    assertThat(ids.stream().map(id -> out(id, "print(x)"))).containsExactly("11\n", "21\n", "31\n");
    assertThat(out(parent, "print(x)")).isEqualTo("1\n");
    assertThat(forked.children()).allMatch(child -> parent.equals(child.parent()));
    assertThat(forked.children()).allMatch(child -> parent.equals(child.tree()));
    harness.restart();
    assertThat(ids.stream().map(id -> out(id, "print(x)"))).containsExactly("11\n", "21\n", "31\n");
  }

  @Test
  void runningProgramsGoOnInTheChild() {
    String parent = harness.create();
    Run program =
        harness
            .sandboxes()
            .startProcess(PROJECT, parent, CommandRequest.argv(List.of("sleep", "60")));
    String child =
        harness.sandboxes().fork(PROJECT, parent, ForkRequest.of(1)).children().getFirst().id();
    assertThat(harness.sandboxes().processes(PROJECT, child)).hasSize(1);
    harness.sandboxes().forget(PROJECT, child, program.id());
    assertThat(harness.sandboxes().processes(PROJECT, child)).isEmpty();
    assertThat(harness.sandboxes().processes(PROJECT, parent)).hasSize(1);
  }

  @Test
  void aForkThatFailsLeavesNoChild() {
    String parent = harness.create();
    harness.run(parent, "x = 3");
    harness.driver().failNext(new AtollException(ErrorCode.INTERNAL, "no luck"));
    assertCode(
        ErrorCode.INTERNAL, () -> harness.sandboxes().fork(PROJECT, parent, ForkRequest.of(4)));
    assertThat(harness.driver().machines()).hasSize(1);
    assertThat(harness.folders("sandboxes")).hasSize(1);
    assertThat(harness.sandboxes().list(PROJECT, everything()).items()).hasSize(1);
    assertThat(out(parent, "print(x)")).isEqualTo("3\n");
  }

  @Test
  void aForkThatDoesNotFitIntoMemoryIsRefusedAsAWhole() {
    String parent = harness.create();
    harness.memory.set(300L << 20);
    assertCode(
        ErrorCode.INSUFFICIENT_MEMORY,
        () -> harness.sandboxes().fork(PROJECT, parent, ForkRequest.of(32)));
    assertThat(harness.driver().machines()).hasSize(1);
    assertThat(harness.sandboxes().fork(PROJECT, parent, ForkRequest.of(1)).children()).hasSize(1);
  }

  @Test
  void thirtyTwoForksAtOnceAndAHundredInAChain() {
    String parent = harness.create();
    harness.run(parent, "x = 0");
    assertThat(harness.sandboxes().fork(PROJECT, parent, ForkRequest.of(32)).children())
        .hasSize(32);
    String at = parent;
    for (int i = 0; i < 100; i++) {
      String next =
          harness.sandboxes().fork(PROJECT, at, ForkRequest.of(1)).children().getFirst().id();
      harness.run(next, "x = x + 1");
      if (!at.equals(parent)) {
        harness.sandboxes().terminate(PROJECT, at);
      }
      at = next;
    }
    assertThat(out(at, "print(x)")).isEqualTo("100\n");
  }

  private static SandboxQuery everything() {
    return new SandboxQuery(200, null, Set.of(), null, Map.of());
  }

  @Test
  void theParentGoesOnAsTheWinner() {
    SandboxInfo parent = create(spec("main", null, null, null, null, null));
    harness.run(parent.id(), "x = 1");
    List<SandboxInfo> children =
        harness.sandboxes().fork(PROJECT, "main", ForkRequest.of(3)).children();
    harness.run(children.get(1).id(), "x = 99");
    SandboxInfo merged =
        harness.sandboxes().merge(PROJECT, "main", new MergeRequest(children.get(1).id(), true));
    assertThat(merged.id()).isEqualTo(parent.id());
    assertThat(out("main", "print(x)")).isEqualTo("99\n");
    assertThat(info(children.get(1).id()).reason()).isEqualTo("merged");
    assertThat(children).allMatch(c -> info(c.id()).state() == SandboxState.TERMINATED);
    assertThat(harness.driver().machines()).hasSize(1);
    assertThat(harness.folders("sandboxes")).hasSize(1);
    harness.restart();
    assertThat(out("main", "print(x)")).isEqualTo("99\n");
    harness.sandboxes().terminate(PROJECT, "main");
    assertThat(harness.driver().machines()).isEmpty();
    assertThat(harness.folders("sandboxes")).isEmpty();
  }

  @Test
  void onlyADescendantCanBeMerged() {
    String one = harness.create();
    String other = harness.create();
    assertCode(
        ErrorCode.NOT_RELATED,
        () -> harness.sandboxes().merge(PROJECT, one, new MergeRequest(other, false)));
    assertThat(info(other).state()).isEqualTo(SandboxState.RUNNING);
  }

  // Hibernation.

  @Test
  void aHibernatedSandboxHoldsNoMachineAndWakesWithTheNextCall() {
    String id = harness.create();
    harness.run(id, "x = 12");
    assertThat(harness.sandboxes().hibernate(PROJECT, id).state())
        .isEqualTo(SandboxState.HIBERNATED);
    assertThat(harness.driver().machines()).isEmpty();
    assertThat(harness.folders("sandboxes")).isEmpty();
    assertThat(info(id).state()).isEqualTo(SandboxState.HIBERNATED);
    assertThat(out(id, "print(x)")).isEqualTo("12\n");
    assertThat(info(id).state()).isEqualTo(SandboxState.RUNNING);
    assertThat(harness.images()).isEmpty();
  }

  @Test
  void manyCallsAtOnceWakeItOnce() throws Exception {
    String id = harness.create();
    harness.run(id, "x = 12");
    harness.sandboxes().hibernate(PROJECT, id);
    try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> answers =
          IntStream.range(0, 20)
              .mapToObj(i -> tasks.submit(() -> out(id, "print(x + " + i + ")")))
              .toList();
      for (int i = 0; i < answers.size(); i++) {
        assertThat(answers.get(i).get()).isEqualTo(12 + i + "\n");
      }
    }
    assertThat(harness.driver().machines()).hasSize(1);
  }

  @Test
  void hibernatedSandboxesSurviveTheServerAndTheHost() {
    String id = harness.create();
    harness.run(id, "x = 3");
    harness.sandboxes().hibernate(PROJECT, id);
    String lost = harness.create();
    harness.reboot();
    assertThat(info(lost).state()).isEqualTo(SandboxState.FAILED);
    assertThat(info(id).state()).isEqualTo(SandboxState.HIBERNATED);
    assertThat(out(id, "print(x)")).isEqualTo("3\n");
  }

  @Test
  void idleSandboxesHibernateWhenTheyAskForIt() {
    SandboxInfo sandbox = create(spec(null, 1.0, null, OnIdle.HIBERNATE, null, null));
    harness.run(sandbox.id(), "x = 8");
    await().until(() -> info(sandbox.id()).state() == SandboxState.HIBERNATED);
    assertThat(out(sandbox.id(), "print(x)")).isEqualTo("8\n");
  }

  @Test
  void aHibernatedSandboxCanBeTerminatedAndSnapshotted() {
    String id = harness.create();
    harness.run(id, "x = 6");
    harness.sandboxes().hibernate(PROJECT, id);
    String taken = snapshot(id, null).id();
    assertThat(info(id).state()).isEqualTo(SandboxState.HIBERNATED);
    harness.sandboxes().terminate(PROJECT, id);
    assertThat(harness.images()).containsExactly(taken);
    String again = create(spec(null, null, taken, null, null, null)).id();
    assertThat(out(again, "print(x)")).isEqualTo("6\n");
  }

  @Test
  void aRunThatWasUnderWayGoesOnAfterTheSleep() {
    String id = harness.create();
    Run run =
        harness
            .sandboxes()
            .runCode(PROJECT, id, RunCodeRequest.python("sleep(1.5)\nx = 77\nprint(x)"));
    harness.sandboxes().hibernate(PROJECT, id);
    assertThat(harness.sandboxes().run(PROJECT, id, run.id()).result().stdout()).isEqualTo("77\n");
  }

  // Rewind.

  @Test
  void aSandboxGoesBackToBeforeTheMistake() {
    SandboxInfo sandbox = create(spec(null, null, null, null, new CheckpointPolicy(true, 5), null));
    harness.run(sandbox.id(), "x = 1");
    harness.run(sandbox.id(), "x = 2");
    harness.run(sandbox.id(), "x = 0");
    harness.sandboxes().rewind(PROJECT, sandbox.id(), new RewindRequest(null, 1));
    assertThat(out(sandbox.id(), "print(x)")).isEqualTo("2\n");
    // That print was a run of its own: two runs back is before it and before x = 2.
    harness.sandboxes().rewind(PROJECT, sandbox.id(), new RewindRequest(null, 2));
    assertThat(out(sandbox.id(), "print(x)")).isEqualTo("1\n");
    assertCode(
        ErrorCode.SNAPSHOT_NOT_FOUND,
        () -> harness.sandboxes().rewind(PROJECT, sandbox.id(), new RewindRequest(null, 9)));
    assertThat(harness.driver().machines()).hasSize(1);
  }

  @Test
  void onlyAsManyCheckpointsAreKeptAsAskedFor() {
    SandboxInfo sandbox = create(spec(null, null, null, null, new CheckpointPolicy(true, 2), null));
    for (int i = 0; i < 6; i++) {
      harness.run(sandbox.id(), "x = " + i);
    }
    SnapshotQuery its = new SnapshotQuery(50, null, sandbox.id(), null, Set.of(), true, Map.of());
    await().until(() -> harness.engine().snapshots().list(PROJECT, its).items().size() == 3);
    harness.sandboxes().rewind(PROJECT, sandbox.id(), new RewindRequest(null, 2));
    assertThat(out(sandbox.id(), "print(x)")).isEqualTo("3\n");
  }

  @Test
  void theTreeShowsWhereStatesComeFrom() {
    String root = harness.create();
    String base = snapshot(root, "base").id();
    String child =
        harness.sandboxes().fork(PROJECT, root, ForkRequest.of(1)).children().getFirst().id();
    String late = snapshot(child, null).id();
    String made = create(spec(null, null, "base", null, null, null)).id();
    StateTree tree = harness.sandboxes().tree(PROJECT, child);
    assertThat(tree.root()).isEqualTo(root);
    assertThat(tree.current()).isEqualTo(child);
    assertThat(tree.nodes())
        .extracting(n -> n.id(), n -> n.parent(), n -> n.kind())
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple(root, null, StateKind.SANDBOX),
            org.assertj.core.groups.Tuple.tuple(base, root, StateKind.SNAPSHOT),
            org.assertj.core.groups.Tuple.tuple(child, root, StateKind.SANDBOX),
            org.assertj.core.groups.Tuple.tuple(late, base, StateKind.SNAPSHOT),
            org.assertj.core.groups.Tuple.tuple(made, base, StateKind.SANDBOX));
  }

  // Spaces.

  @Test
  void aSpaceIsMadeOnceAndFoundInWhateverStateItIs() throws Exception {
    Spaces spaces = harness.engine().spaces();
    assertCode(ErrorCode.SANDBOX_NOT_FOUND, () -> spaces.open(PROJECT, "lab", null));
    Set<String> ids = new HashSet<>();
    int created = 0;
    try (ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Spaces.Opened>> opened =
          IntStream.range(0, 8)
              .mapToObj(
                  i -> tasks.submit(() -> spaces.open(PROJECT, "lab", SandboxSpec.defaults())))
              .toList();
      for (Future<Spaces.Opened> one : opened) {
        ids.add(one.get().sandbox().id());
        created += one.get().created() ? 1 : 0;
      }
    }
    assertThat(ids).hasSize(1);
    assertThat(created).isEqualTo(1);
    harness.run("lab", "x = 4");
    harness.sandboxes().hibernate(PROJECT, "lab");
    assertThat(spaces.open(PROJECT, "lab", null).sandbox().state()).isEqualTo(SandboxState.RUNNING);
    harness.sandboxes().pause(PROJECT, "lab");
    assertThat(spaces.open(PROJECT, "lab", null).created()).isFalse();
    assertThat(out("lab", "print(x)")).isEqualTo("4\n");
  }

  // Forks prepared ahead.

  @Test
  void anIdleSandboxHandsOverPreparedForks() {
    String id = create(spec(null, null, null, null, null, 3)).id();
    harness.run(id, "x = 5");
    await().until(() -> harness.driver().machines().size() == 4);
    ForkResult forked = harness.sandboxes().fork(PROJECT, id, ForkRequest.of(3));
    assertThat(forked.prepared()).isTrue();
    for (SandboxInfo child : forked.children()) {
      assertThat(child.parent()).isEqualTo(id);
      assertThat(out(child.id(), "print(x)")).isEqualTo("5\n");
    }
  }

  @Test
  void preparedForksAreThrownAwayWhenTheSandboxIsUsed() {
    String id = create(spec(null, null, null, null, null, 2)).id();
    harness.run(id, "x = 5");
    await().until(() -> harness.driver().machines().size() == 3);
    harness.run(id, "x = 6");
    ForkResult forked = harness.sandboxes().fork(PROJECT, id, ForkRequest.of(2));
    assertThat(forked.prepared()).isFalse();
    assertThat(out(forked.children().getFirst().id(), "print(x)")).isEqualTo("6\n");
    harness.sandboxes().terminate(PROJECT, id);
    await().until(() -> harness.driver().machines().size() == 2);
  }

  @Test
  void nothingIsPreparedWhileAProgramRuns() throws Exception {
    String id = create(spec(null, null, null, null, null, 2)).id();
    harness.sandboxes().startProcess(PROJECT, id, CommandRequest.argv(List.of("sleep", "60")));
    Thread.sleep(1000);
    assertThat(harness.driver().machines()).hasSize(1);
  }
}
