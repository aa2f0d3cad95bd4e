package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static dev.atoll.engine.EngineHarness.assertCode;
import static dev.atoll.engine.EngineHarness.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.AtollException;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.ForkResult;
import dev.atoll.model.MergeRequest;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SandboxState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForkTest {
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

  private String out(String sandbox, String code) {
    return harness.run(sandbox, code).stdout();
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

  // Forks prepared ahead.

  @Test
  void anIdleSandboxHandsOverPreparedForks() {
    String id = create(spec(null, null, null, null, null, 3)).id();
    harness.run(id, "x = 5");
    await().until(() -> harness.engine().pools().totals().forksAhead() == 3);
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
    await().until(() -> harness.engine().pools().totals().forksAhead() == 2);
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
