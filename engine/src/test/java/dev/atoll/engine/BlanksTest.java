package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.SandboxInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlanksTest {
  private static final int COUNT = 4;

  @TempDir Path folder;
  private EngineHarness harness;

  @BeforeEach
  void open() throws IOException {
    harness =
        new EngineHarness(
            folder, SandboxDefaults.standard(), StateSettings.defaults().withReady(0, COUNT));
  }

  @AfterEach
  void close() {
    harness.close();
  }

  private Set<String> begun() {
    await().until(() -> harness.driver().prepared().size() == COUNT);
    return harness.driver().prepared();
  }

  @Test
  void nothingIsBegunBeforeSomebodyNeedsIt() {
    assertThat(harness.driver().prepared()).isEmpty();
    assertThat(harness.folders("sandboxes")).isEmpty();
  }

  @Test
  void forkLivesInMachinesThatWereBegunAheadAndOthersTakeTheirPlace() {
    String parent = harness.create();
    harness.run(parent, "x = 1");
    Set<String> begun = begun();
    List<SandboxInfo> children =
        harness.sandboxes().fork(PROJECT, parent, ForkRequest.of(3)).children();

    assertThat(children)
        .allSatisfy(
            child -> assertThat(harness.run(child.id(), "print(x)").stdout()).isEqualTo("1\n"));
    assertThat(harness.driver().machines().stream().filter(begun::contains)).hasSize(3);
    assertThat(begun()).isNotEqualTo(begun);
  }

  @Test
  void sandboxesInThemAreFoundAgainByTheNextServerAndTheRestIsGone() {
    String parent = harness.create();
    begun();
    String child =
        harness.sandboxes().fork(PROJECT, parent, ForkRequest.of(1)).children().getFirst().id();
    harness.run(child, "y = 7");
    harness.restart();
    assertThat(harness.run(child, "print(y)").stdout()).isEqualTo("7\n");
    harness.sandboxes().terminate(PROJECT, child);
    harness.sandboxes().terminate(PROJECT, parent);
    harness.stop();
    assertThat(harness.driver().prepared()).isEmpty();
    assertThat(harness.folders("sandboxes")).isEmpty();
    harness.start();
  }

  @Test
  void oneThatFailsIsReplacedByOneMadeNow() {
    String parent = harness.create();
    begun();
    harness.driver().failNext(new AtollException(ErrorCode.INTERNAL, "it died while it waited"));
    assertThat(harness.sandboxes().fork(PROJECT, parent, ForkRequest.of(1)).children()).hasSize(1);
  }

  @Test
  void stateThatCannotBeRestoredIsToldAndLeavesNothing() {
    String parent = harness.create();
    begun();
    harness.driver().failNext(new AtollException(ErrorCode.INTERNAL, "no"), 2);
    assertThatThrownBy(() -> harness.sandboxes().fork(PROJECT, parent, ForkRequest.of(1)))
        .hasMessageContaining("no");
    assertThat(harness.driver().machines()).hasSize(1);
    int waiting = begun().size();
    assertThat(harness.folders("sandboxes")).hasSize(1 + waiting);
  }
}
