package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static dev.atoll.engine.EngineHarness.assertCode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Page;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SandboxUpdate;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SandboxLifecycleTest {
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
      @Nullable String name, @Nullable Double ttl, @Nullable Double idle, boolean persistent) {
    return new SandboxSpec(
        name,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        ttl,
        idle,
        persistent,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  private SandboxInfo create(SandboxSpec spec) {
    return harness.sandboxes().create(PROJECT, spec, null);
  }

  private SandboxState state(String id) {
    return harness.sandboxes().get(PROJECT, id).state();
  }

  @Test
  void aNewSandboxRunsWithTheDefaults() {
    SandboxInfo info = create(SandboxSpec.defaults());
    assertThat(info.state()).isEqualTo(SandboxState.RUNNING);
    assertThat(info.memoryMiB()).isEqualTo(1024);
    assertThat(info.template()).isEqualTo("python");
    assertThat(info.id()).startsWith("sbx_");
    assertThat(harness.run(info.id(), "print('hello')").stdout()).isEqualTo("hello\n");
  }

  @Test
  void terminatingLeavesNothingAndIsIdempotent() {
    String id = harness.create();
    assertThat(harness.folders("sandboxes")).containsExactly(harness.machine());
    harness.sandboxes().terminate(PROJECT, id);
    assertThat(harness.folders("sandboxes")).isEmpty();
    assertThat(harness.driver().machines()).isEmpty();
    assertThat(state(id)).isEqualTo(SandboxState.TERMINATED);
    harness.sandboxes().terminate(PROJECT, id);
    assertCode(ErrorCode.GONE, () -> harness.run(id, "1"));
  }

  @Test
  void aNameFindsTheSandboxAndIsFreeAgainAfterItsEnd() {
    SandboxInfo first = create(spec("work", null, null, false));
    assertThat(harness.sandboxes().get(PROJECT, "work").id()).isEqualTo(first.id());
    assertCode(ErrorCode.NAME_TAKEN, () -> create(spec("work", null, null, false)));
    assertThat(harness.driver().machines()).hasSize(1);
    harness.sandboxes().terminate(PROJECT, "work");
    assertThat(create(spec("work", null, null, false)).id()).isNotEqualTo(first.id());
  }

  @Test
  void anotherProjectSeesNothing() {
    String id = harness.create();
    assertCode(ErrorCode.SANDBOX_NOT_FOUND, () -> harness.sandboxes().get("other", id));
    assertCode(ErrorCode.SANDBOX_NOT_FOUND, () -> harness.sandboxes().terminate("other", id));
    assertCode(ErrorCode.SANDBOX_NOT_FOUND, () -> harness.sandboxes().processes("other", id));
    assertThat(harness.sandboxes().list("other", query(10, null)).items()).isEmpty();
  }

  private static SandboxQuery query(int limit, @Nullable String cursor) {
    return new SandboxQuery(limit, cursor, Set.of(), null, Map.of());
  }

  @Test
  void pagesCoverEverySandboxOnce() {
    Set<String> made = new HashSet<>();
    for (int i = 0; i < 5; i++) {
      made.add(harness.create());
    }
    Set<String> listed = new HashSet<>();
    String cursor = null;
    int pages = 0;
    do {
      Page<SandboxInfo> page = harness.sandboxes().list(PROJECT, query(2, cursor));
      page.items().forEach(item -> assertThat(listed.add(item.id())).isTrue());
      cursor = page.nextCursor();
      pages++;
    } while (cursor != null);
    assertThat(listed).isEqualTo(made);
    assertThat(pages).isEqualTo(3);
    assertCode(
        ErrorCode.INVALID_ARGUMENT, () -> harness.sandboxes().list(PROJECT, query(2, "nonsense")));
  }

  @Test
  void metadataFilters() {
    harness.create();
    SandboxInfo mine =
        create(
            new SandboxSpec(
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                Map.of("team", "red"),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null));
    SandboxQuery red = new SandboxQuery(10, null, Set.of(), null, Map.of("team", "red"));
    assertThat(harness.sandboxes().list(PROJECT, red).items())
        .extracting(SandboxInfo::id)
        .containsExactly(mine.id());
  }

  @Test
  void theSameIdempotencyKeyGivesTheSameSandbox() {
    SandboxInfo first = harness.sandboxes().create(PROJECT, SandboxSpec.defaults(), "k1");
    SandboxInfo again = harness.sandboxes().create(PROJECT, SandboxSpec.defaults(), "k1");
    assertThat(again.id()).isEqualTo(first.id());
    assertThat(harness.driver().machines()).hasSize(1);
    assertCode(
        ErrorCode.IDEMPOTENCY_MISMATCH,
        () -> harness.sandboxes().create(PROJECT, spec("other", null, null, false), "k1"));
  }

  @Test
  void aCreateThatFailsLeavesNothing() {
    harness.create();
    harness.driver().failNext(new AtollException(ErrorCode.INTERNAL, "no luck"));
    assertThatThrownBy(() -> harness.sandboxes().create(PROJECT, spec("x", null, null, false), "k"))
        .hasMessage("no luck");
    assertThat(harness.sandboxes().list(PROJECT, query(10, null)).items()).hasSize(1);
    assertThat(harness.sandboxes().create(PROJECT, spec("x", null, null, false), "k").state())
        .isEqualTo(SandboxState.RUNNING);
  }

  @Test
  void eachProjectWeighsTheSameHoweverManySandboxesItHas() {
    harness.create();
    harness.create();
    Set<String> first = harness.driver().machines();
    SandboxInfo other = harness.sandboxes().create("other", spec(null, null, null, false), null);
    await()
        .untilAsserted(
            () -> {
              for (String machine : harness.driver().machines()) {
                assertThat(harness.driver().weight(machine))
                    .isEqualTo(first.contains(machine) ? 0.5 : 1);
              }
            });
    harness.sandboxes().terminate("other", other.id());
  }

  @Test
  void theTtlEndsASandboxEvenAPersistentOne() {
    SandboxInfo info = create(spec(null, 1.0, null, true));
    await().until(() -> state(info.id()) == SandboxState.TERMINATED);
    assertThat(harness.sandboxes().get(PROJECT, info.id()).reason()).isEqualTo("ttl");
    // The row says so first.
    await().untilAsserted(() -> assertThat(harness.driver().machines()).isEmpty());
  }

  @Test
  void aGuestThatTakesNothingIsEndedAllTheSame() throws Exception {
    SandboxInfo info = create(spec(null, null, null, false));
    CountDownLatch waiting = harness.driver().deafen(harness.machine());
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<SandboxInfo> hibernated =
          threads.submit(() -> harness.sandboxes().hibernate(PROJECT, info.id()));
      assertThat(waiting.await(60, TimeUnit.SECONDS)).isTrue();
      threads
          .submit(() -> harness.sandboxes().terminate(PROJECT, info.id()))
          .get(60, TimeUnit.SECONDS);
      assertThat(hibernated).failsWithin(Duration.ofSeconds(60));
    }
    assertThat(state(info.id())).isIn(SandboxState.TERMINATED, SandboxState.FAILED);
    assertThat(harness.driver().machines()).isEmpty();
  }

  @Test
  void idlenessEndsASandboxButNotAPersistentOne() {
    SandboxInfo idle = create(spec(null, null, 1.0, false));
    SandboxInfo persistent = create(spec(null, null, 1.0, true));
    await().until(() -> state(idle.id()) == SandboxState.TERMINATED);
    assertThat(harness.sandboxes().get(PROJECT, idle.id()).reason()).isEqualTo("idle");
    assertThat(state(persistent.id())).isEqualTo(SandboxState.RUNNING);
  }

  @Test
  void aRunKeepsItsSandboxFromBeingIdle() {
    SandboxInfo info = create(spec(null, null, 1.0, false));
    assertThat(harness.run(info.id(), "sleep(2.5)\nprint('still here')").stdout())
        .isEqualTo("still here\n");
  }

  @Test
  void anUpdateChangesTimersLabelsAndPersistence() {
    String id = harness.create();
    SandboxInfo updated =
        harness
            .sandboxes()
            .update(
                PROJECT,
                id,
                new SandboxUpdate(
                    60.0,
                    30.0,
                    true,
                    Map.of("A", "1"),
                    Map.of("k", "v"),
                    null,
                    null,
                    null,
                    null,
                    null));
    assertThat(updated.expiresAt()).isNotNull();
    assertThat(updated.idleTimeoutSeconds()).isEqualTo(30.0);
    assertThat(updated.persistent()).isTrue();
    assertThat(harness.sandboxes().get(PROJECT, id).metadata()).containsEntry("k", "v");
    harness.restart();
    assertThat(harness.sandboxes().get(PROJECT, id).env()).containsEntry("A", "1");
  }

  @Test
  void aPausedSandboxSaysSoAndGoesOnAfterResume() {
    String id = harness.create();
    harness.run(id, "x = 41");
    harness.sandboxes().pause(PROJECT, id);
    assertCode(ErrorCode.SANDBOX_NOT_RUNNING, () -> harness.run(id, "1"));
    harness.sandboxes().resume(PROJECT, id);
    assertThat(harness.run(id, "print(x + 1)").stdout()).isEqualTo("42\n");
  }

  @Test
  void aCrashMarksTheSandboxAsFailed() {
    String id = harness.create();
    harness.driver().crash(harness.machine());
    await().until(() -> state(id) == SandboxState.FAILED);
    assertThat(harness.sandboxes().get(PROJECT, id).reason()).isEqualTo("crashed");
    assertThat(harness.folders("sandboxes")).isEmpty();
  }

  @Test
  void theProjectsLimitIsHeld() throws IOException {
    harness.close();
    SandboxDefaults one = new SandboxDefaults("python", 1, 128, 128, 16, null, null, 1);
    try (EngineHarness small = new EngineHarness(folder.resolve("small"), one)) {
      small.create();
      assertCode(ErrorCode.QUOTA_EXCEEDED, small::create);
      assertThat(small.sandboxes().create("another", SandboxSpec.defaults(), null).state())
          .isEqualTo(SandboxState.RUNNING);
    }
    harness = new EngineHarness(folder.resolve("fresh"));
  }

  @Test
  void anUnknownTemplateIsNamed() {
    assertCode(
        ErrorCode.TEMPLATE_NOT_FOUND,
        () ->
            create(
                new SandboxSpec(
                    null, "nope", null, null, null, null, null, null, null, null, null, null, null,
                    null, null, null, null, null)));
    assertThat(harness.driver().machines()).isEmpty();
  }
}
