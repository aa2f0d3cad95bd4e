package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static dev.atoll.engine.EngineHarness.assertCode;
import static dev.atoll.engine.EngineHarness.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.engine.image.ExportKey;
import dev.atoll.engine.image.ImageStore;
import dev.atoll.engine.image.Lease;
import dev.atoll.engine.image.Unpacker;
import dev.atoll.engine.jail.Jailer;
import dev.atoll.model.CheckpointPolicy;
import dev.atoll.model.ClaimRequest;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.Json;
import dev.atoll.model.OnIdle;
import dev.atoll.model.PoolSpec;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  private byte[] exported(String snapshot) {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    harness.engine().snapshots().export(PROJECT, snapshot, file);
    return file.toByteArray();
  }

  private static SnapshotInfo imported(
      EngineHarness into, byte[] file, @Nullable SnapshotKind kind) {
    return into.engine()
        .snapshots()
        .importFrom(PROJECT, new ByteArrayInputStream(file), "theirs", kind);
  }

  /** Lets a server take what this one exports. */
  private Path trust(Path data) throws IOException {
    Path trusted = Files.createDirectories(data.resolve("trusted-servers")).resolve("here.pub");
    return Files.copy(folder.resolve("data/snapshots.pub"), trusted);
  }

  @Test
  void aSnapshotTravelsToAServerThatTrustsThisOne() throws IOException {
    String id = harness.create();
    harness.run(id, "x = 5");
    snapshot(id, "mine");
    byte[] file = exported("mine");
    try (EngineHarness elsewhere = new EngineHarness(folder.resolve("elsewhere"))) {
      List<String> before = elsewhere.folders("templates");
      trust(folder.resolve("elsewhere/data"));
      SnapshotInfo taken = imported(elsewhere, file, null);
      assertThat(taken.name()).isEqualTo("theirs");
      assertThat(taken.kind()).isEqualTo(SnapshotKind.MEMORY);
      assertThat(taken.note()).isEqualTo("imported whole: signed by here");
      SandboxInfo made =
          elsewhere.sandboxes().create(PROJECT, spec(null, null, "theirs", null, null, null), null);
      assertThat(elsewhere.run(made.id(), "print(x)").stdout()).isEqualTo("5\n");
      byte[] cut = java.util.Arrays.copyOf(file, file.length - 100);
      assertCode(ErrorCode.INVALID_ARGUMENT, () -> imported(elsewhere, cut, null));

      // The root file system that came along stays for as long as somebody needs it.
      elsewhere.engine().snapshots().delete(PROJECT, "theirs");
      assertThat(elsewhere.folders("templates")).anyMatch(name -> name.startsWith("imported-"));
      assertThat(elsewhere.run(made.id(), "print(x)").stdout()).isEqualTo("5\n");
      elsewhere.sandboxes().terminate(PROJECT, made.id());
      await().until(() -> elsewhere.folders("templates").equals(before));
    }
  }

  @Test
  void memoryOfAStrangerIsNotTakenIn() throws IOException {
    String id = harness.create();
    snapshot(id, "mine");
    byte[] file = exported("mine");
    try (EngineHarness elsewhere = new EngineHarness(folder.resolve("elsewhere"))) {
      List<String> before = elsewhere.folders("templates");
      // The fake guest has no programs that could pack its files, so there is memory alone.
      assertCode(ErrorCode.SNAPSHOT_UNTRUSTED, () -> imported(elsewhere, file, null));
      assertCode(
          ErrorCode.SNAPSHOT_UNTRUSTED, () -> imported(elsewhere, file, SnapshotKind.MEMORY));
      Path trusted = trust(folder.resolve("elsewhere/data"));
      assertCode(ErrorCode.SNAPSHOT_UNTRUSTED, () -> imported(elsewhere, file, SnapshotKind.FILES));
      Files.delete(trusted);
      assertCode(ErrorCode.SNAPSHOT_UNTRUSTED, () -> imported(elsewhere, file, null));
      assertThat(elsewhere.images()).isEmpty();
      assertThat(elsewhere.folders("templates")).isEqualTo(before);
    }
  }

  @Test
  void theFilesOfAStrangersSnapshotAreTakenIn() throws IOException {
    String id = harness.create();
    SnapshotInfo info = snapshot(id, "mine");
    ImageStore stranger =
        new ImageStore(
            folder.resolve("stranger"), 0, new Unpacker(Jailer.install(folder.resolve("bin"))));
    Files.createDirectories(stranger.aside("x"));
    Files.writeString(stranger.aside("x").resolve("checkpoint.img"), "for the decoder");
    stranger.add("x", null);
    Path files = Files.createDirectories(folder.resolve("files"));
    Files.writeString(files.resolve("changes.tar.zst"), "changes");
    Path rootfs = Files.createDirectories(folder.resolve("rootfs"));
    Files.writeString(rootfs.resolve("theirs"), "");
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    stranger.write(
        "x",
        file,
        Json.lenient().writeValueAsBytes(info),
        files,
        rootfs,
        new ExportKey(folder.resolve("stranger")));
    List<String> before = harness.folders("templates");
    assertCode(
        ErrorCode.SNAPSHOT_UNTRUSTED,
        () -> imported(harness, file.toByteArray(), SnapshotKind.MEMORY));
    assertThat(harness.folders("templates")).isEqualTo(before);

    SnapshotInfo taken = imported(harness, file.toByteArray(), null);
    assertThat(taken.kind()).isEqualTo(SnapshotKind.FILES);
    assertThat(taken.note()).contains("as files", "no server that is trusted here");
    try (Lease lease = harness.engine().images().open(taken.id())) {
      assertThat(lease.directory()).isDirectoryNotContaining("glob:**.img");
      assertThat(lease.directory().resolve("changes.tar.zst")).hasContent("changes");
    }
    assertThat(harness.folders("templates")).hasSize(before.size() + 1);
    harness.engine().snapshots().delete(PROJECT, taken.id());
    await().until(() -> harness.folders("templates").equals(before));
  }

  @Test
  void aServerTakesItsOwnExportsWhole() {
    String id = harness.create();
    harness.run(id, "x = 5");
    snapshot(id, "mine");
    SnapshotInfo taken = imported(harness, exported("mine"), SnapshotKind.MEMORY);
    assertThat(taken.note()).isEqualTo("imported whole: signed by this server");
    harness.restart();
    SandboxInfo made = create(spec(null, null, "theirs", null, null, null));
    assertThat(out(made.id(), "print(x)")).isEqualTo("5\n");
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
  void checkpointsGoWithTheLastOfTheFamily() {
    SandboxInfo sandbox = create(spec(null, null, null, null, new CheckpointPolicy(true, 5), null));
    harness.run(sandbox.id(), "x = 1");
    String child =
        harness
            .sandboxes()
            .fork(PROJECT, sandbox.id(), ForkRequest.of(1))
            .children()
            .getFirst()
            .id();
    String kept = snapshot(sandbox.id(), "kept").id();
    harness.sandboxes().terminate(PROJECT, sandbox.id());
    assertThat(automatic(sandbox.id())).isNotEmpty();
    harness.sandboxes().terminate(PROJECT, child);
    assertThat(automatic(sandbox.id())).isEmpty();
    assertThat(harness.images()).containsExactly(kept);
    assertThat(out(create(spec(null, null, "kept", null, null, null)).id(), "print(x)"))
        .isEqualTo("1\n");
  }

  @Test
  void checkpointsOfOneThatFailedStayUntilItIsEnded() {
    SandboxInfo sandbox = create(spec(null, null, null, null, new CheckpointPolicy(true, 5), null));
    harness.run(sandbox.id(), "x = 1");
    await().until(() -> automatic(sandbox.id()).size() == 2);
    harness.driver().crash(harness.machine());
    await().until(() -> info(sandbox.id()).state() == SandboxState.FAILED);
    harness.restart();
    assertThat(automatic(sandbox.id())).hasSize(2);
    String last = automatic(sandbox.id()).getFirst().id();
    String rescued = create(spec(null, null, last, null, null, null)).id();
    assertThat(out(rescued, "print(x)")).isEqualTo("1\n");
    harness.sandboxes().terminate(PROJECT, rescued);
    harness.sandboxes().terminate(PROJECT, sandbox.id());
    assertThat(automatic(sandbox.id())).isEmpty();
    assertThat(harness.images()).isEmpty();
  }

  private List<SnapshotInfo> automatic(String sandbox) {
    SnapshotQuery its = new SnapshotQuery(50, null, sandbox, null, Set.of(), true, Map.of());
    return harness.engine().snapshots().list(PROJECT, its).items().stream()
        .filter(SnapshotInfo::automatic)
        .toList();
  }

  @Test
  void aProgramThatWasStartedCountsAsARun() {
    SandboxInfo sandbox = create(spec(null, null, null, null, new CheckpointPolicy(true, 5), null));
    harness.run(sandbox.id(), "x = 1");
    Run program =
        harness
            .sandboxes()
            .startProcess(PROJECT, sandbox.id(), CommandRequest.argv(List.of("echo", "done")));
    assertThat(program.result().stdout()).isEqualTo("done\n");
    await()
        .untilAsserted(
            () -> assertThat(automatic(sandbox.id()).getFirst().note()).isEqualTo("echo done"));
  }

  @Test
  void aPoolKeepsNoMoreReadyThanCanBeClaimed() {
    Pools pools = harness.engine().pools();
    PoolSpec spec =
        new PoolSpec("few", null, null, 2, 3, null, null, null, null, null, Map.of(), null, null);
    pools.create(PROJECT, spec);
    await().until(() -> pools.get(PROJECT, "few").ready() == 2);
    List<String> claimed = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      claimed.add(pools.claim(PROJECT, "few", ClaimRequest.plain()).id());
    }
    await().until(() -> harness.driver().machines().size() == 3);
    assertCode(ErrorCode.QUOTA_EXCEEDED, () -> pools.claim(PROJECT, "few", ClaimRequest.plain()));
    harness.sandboxes().terminate(PROJECT, claimed.getFirst());
    await().until(() -> pools.get(PROJECT, "few").ready() == 1);
    assertThat(harness.driver().machines()).hasSize(3);
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
            org.assertj.core.groups.Tuple.tuple(late, child, StateKind.SNAPSHOT),
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
}
