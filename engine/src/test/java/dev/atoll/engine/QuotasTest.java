package dev.atoll.engine;

import static dev.atoll.engine.EngineHarness.PROJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.atoll.engine.quota.Quotas;
import dev.atoll.model.AtollException;
import dev.atoll.model.ClaimRequest;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.Json;
import dev.atoll.model.PoolInfo;
import dev.atoll.model.PoolSpec;
import dev.atoll.model.PoolUpdate;
import dev.atoll.model.QuotaLimits;
import dev.atoll.model.QuotaName;
import dev.atoll.model.QuotaUsage;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.ServiceSpec;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuotasTest {
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

  private void limit(QuotaName name, double limit) {
    harness.engine().quotas().set(PROJECT, limits(name, limit));
  }

  private static QuotaLimits limits(QuotaName name, double limit) {
    return switch (name) {
      case SANDBOXES -> QuotaLimits.ofSandboxes((int) limit);
      case MEMORY -> new QuotaLimits(null, (long) limit, null, null, null, null, null, null);
      case CPUS -> new QuotaLimits(null, null, limit, null, null, null, null, null);
      case DISK -> new QuotaLimits(null, null, null, (long) limit, null, null, null, null);
      case POOLS -> new QuotaLimits(null, null, null, null, (int) limit, null, null, null);
      case WARM -> new QuotaLimits(null, null, null, null, null, (int) limit, null, null);
      case SERVICES -> new QuotaLimits(null, null, null, null, null, null, (int) limit, null);
      case REQUESTS_PER_SECOND -> new QuotaLimits(null, null, null, null, null, null, null, limit);
    };
  }

  private QuotaUsage usage(QuotaName name) {
    return harness.engine().quotas().info(PROJECT).of(name);
  }

  private double used(QuotaName name) {
    return usage(name).used();
  }

  private static AtollException refused(QuotaName name, Runnable call) {
    AtollException[] refusal = new AtollException[1];
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            AtollException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED);
              assertThat(e.details()).containsEntry("quota", name.wire());
              refusal[0] = e;
            });
    return refusal[0];
  }

  private static PoolSpec pool(String name, int warm) {
    return new PoolSpec(
        name, null, null, warm, 10, null, null, null, null, null, Map.of(), null, null);
  }

  @Test
  void anErrorNamesTheQuotaItsLimitWhatUsesItAndWhatToDo() {
    limit(QuotaName.SANDBOXES, 2);
    String first = harness.create();
    harness
        .sandboxes()
        .create(PROJECT, EngineHarness.spec("web", null, null, null, null, null), null);
    AtollException refusal = refused(QuotaName.SANDBOXES, harness::create);
    assertThat(refusal)
        .hasMessageContaining("quota sandboxes is 2, of which 2 are used")
        .hasMessageContaining("sandbox " + first)
        .hasMessageContaining("sandbox web");
    assertThat(refusal.hint()).contains("end some", "atoll quota set demo --sandboxes N");
    assertThat(refusal.details())
        .containsEntry("limit", 2.0)
        .containsEntry("used", 2.0)
        .containsEntry("wanted", 1.0);
  }

  @Test
  void ofManyWhoWantTheLastPlacesJustSoManyGetThem() throws Exception {
    limit(QuotaName.SANDBOXES, 7);
    int wanting = 40;
    CountDownLatch go = new CountDownLatch(1);
    List<Future<@Nullable String>> tries = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < wanting; i++) {
        tries.add(
            threads.submit(
                () -> {
                  go.await();
                  try {
                    return harness.create();
                  } catch (AtollException e) {
                    assertThat(e.code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED);
                    return null;
                  }
                }));
      }
      go.countDown();
    }
    long made = 0;
    for (Future<@Nullable String> one : tries) {
      made += one.get() == null ? 0 : 1;
    }
    assertThat(made).isEqualTo(7);
    assertThat(used(QuotaName.SANDBOXES)).isEqualTo(7);
  }

  @Test
  void aCreateThatFailsGivesItsPlaceBack() {
    limit(QuotaName.SANDBOXES, 1);
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(
              () ->
                  harness
                      .sandboxes()
                      .create(
                          PROJECT,
                          EngineHarness.spec(null, null, "snap_none", null, null, null),
                          null))
          .isInstanceOf(AtollException.class);
    }
    harness.driver().failNext(new IllegalStateException("no machine"));
    assertThatThrownBy(harness::create).isInstanceOf(RuntimeException.class);
    assertThat(used(QuotaName.SANDBOXES)).isZero();
    assertThat(used(QuotaName.MEMORY)).isZero();
    assertThat(harness.create()).startsWith("sbx_");
  }

  @Test
  void whatIsUsedIsTheSameAfterARestart() {
    harness.create();
    String asleep = harness.create();
    harness.sandboxes().hibernate(PROJECT, asleep);
    limit(QuotaName.SANDBOXES, 2);
    harness.restart();
    assertThat(usage(QuotaName.SANDBOXES).limit()).isEqualTo(2.0);
    assertThat(usage(QuotaName.SANDBOXES).own()).isTrue();
    assertThat(used(QuotaName.SANDBOXES)).isEqualTo(2);
    assertThat(used(QuotaName.MEMORY)).isEqualTo(1024);
    refused(QuotaName.SANDBOXES, harness::create);
  }

  @Test
  void hibernatedSandboxesTakeNoMemoryAndWakeOnlyIfTheyFit() {
    String first = harness.create();
    limit(QuotaName.MEMORY, 1024);
    harness.sandboxes().hibernate(PROJECT, first);
    assertThat(used(QuotaName.MEMORY)).isZero();
    String second = harness.create();
    AtollException refusal =
        refused(QuotaName.MEMORY, () -> harness.sandboxes().wake(PROJECT, first));
    assertThat(refusal).hasMessageContaining("1024 MiB").hasMessageContaining(second);
    refused(QuotaName.MEMORY, () -> harness.run(first, "1"));
    harness.sandboxes().terminate(PROJECT, second);
    assertThat(harness.run(first, "print(1)").stdout()).isEqualTo("1\n");
    assertThat(used(QuotaName.MEMORY)).isEqualTo(1024);
  }

  @Test
  void aLimitBelowWhatIsUsedRefusesOnlyWhatIsNew() {
    String first = harness.create();
    String second = harness.create();
    limit(QuotaName.SANDBOXES, 1);
    refused(QuotaName.SANDBOXES, harness::create);
    assertThat(harness.run(first, "print(1)").stdout()).isEqualTo("1\n");
    harness.sandboxes().hibernate(PROJECT, second);
    harness.sandboxes().wake(PROJECT, second);
    harness.sandboxes().pause(PROJECT, second);
    harness.sandboxes().resume(PROJECT, second);
    harness.sandboxes().terminate(PROJECT, second);
    refused(QuotaName.SANDBOXES, harness::create);
    harness.engine().quotas().clear(PROJECT);
    assertThat(harness.create()).startsWith("sbx_");
  }

  @Test
  void aForkNeedsPlacesForAllItsChildren() {
    String parent = harness.create();
    limit(QuotaName.CPUS, 3);
    refused(QuotaName.CPUS, () -> harness.sandboxes().fork(PROJECT, parent, ForkRequest.of(3)));
    assertThat(used(QuotaName.CPUS)).isEqualTo(1);
    assertThat(harness.sandboxes().fork(PROJECT, parent, ForkRequest.of(2)).children()).hasSize(2);
    assertThat(used(QuotaName.CPUS)).isEqualTo(3);
  }

  @Test
  void otherProjectsAreNotConcerned() {
    limit(QuotaName.SANDBOXES, 0);
    refused(QuotaName.SANDBOXES, harness::create);
    assertThat(harness.sandboxes().create("other", SandboxSpec.defaults(), null).id())
        .startsWith("sbx_");
    assertThat(used(QuotaName.SANDBOXES)).isZero();
  }

  @Test
  void poolsAndWhatTheyKeepReadyAreCounted() {
    limit(QuotaName.POOLS, 1);
    Pools pools = harness.engine().pools();
    PoolInfo made = pools.create(PROJECT, pool("one", 0));
    refused(QuotaName.POOLS, () -> pools.create(PROJECT, pool("two", 0)));
    limit(QuotaName.WARM, 3);
    refused(QuotaName.WARM, () -> pools.update(PROJECT, "one", new PoolUpdate(4, null)));
    assertThat(pools.update(PROJECT, "one", new PoolUpdate(2, null)).warm()).isEqualTo(2);
    refused(QuotaName.WARM, () -> pools.create(PROJECT, pool("two", 2)));
    assertThat(pools.create(PROJECT, pool("two", 1)).warm()).isEqualTo(1);
    assertThat(usage(QuotaName.WARM).users().getFirst().id()).isEqualTo(made.id());
  }

  @Test
  void whatWaitsInAPoolTakesMemoryAndKeepsItWhenItIsClaimed() {
    Pools pools = harness.engine().pools();
    harness.create();
    limit(QuotaName.MEMORY, 2048);
    pools.create(PROJECT, pool("ready", 3));
    await().until(() -> pools.get(PROJECT, "ready").ready() == 1);
    await().until(() -> String.valueOf(pools.get(PROJECT, "ready").problem()).contains("memory"));
    assertThat(used(QuotaName.MEMORY)).isEqualTo(2048);
    assertThat(usage(QuotaName.MEMORY).kinds()).containsEntry("pool", 1024.0);
    refused(QuotaName.MEMORY, harness::create);
    assertThat(pools.claim(PROJECT, "ready", ClaimRequest.plain()).pool()).isNotNull();
    assertThat(used(QuotaName.MEMORY)).isEqualTo(2048);
    refused(QuotaName.MEMORY, () -> pools.claim(PROJECT, "ready", ClaimRequest.plain()));
  }

  @Test
  void requestsBeyondTheRateAreTurnedAwayWithWhenToComeBack() {
    limit(QuotaName.REQUESTS_PER_SECOND, 0.001);
    harness.engine().quotas().admit(PROJECT);
    AtollException refusal =
        refused(QuotaName.REQUESTS_PER_SECOND, () -> harness.engine().quotas().admit(PROJECT));
    assertThat((Long) refusal.details().get("retryAfterSeconds")).isBetween(900L, 1000L);
    harness.engine().quotas().admit("other");
    harness.engine().quotas().clear(PROJECT);
    harness.engine().quotas().admit(PROJECT);
    assertThat(harness.engine().quotas().refusals(QuotaName.REQUESTS_PER_SECOND)).isEqualTo(1);
  }

  @Test
  void whereTheDiskIsUsedUpNothingNewIsMadeAndNothingIsEnded() {
    String id = harness.create();
    Snapshots snapshots = harness.engine().snapshots();
    snapshots.create(PROJECT, id, SnapshotRequest.unnamed());
    assertThat(usage(QuotaName.DISK).kinds()).containsOnlyKeys("sandbox", "snapshot");
    limit(QuotaName.DISK, 0);
    refused(QuotaName.DISK, harness::create);
    refused(QuotaName.DISK, () -> snapshots.create(PROJECT, id, SnapshotRequest.unnamed()));
    refused(QuotaName.DISK, () -> harness.sandboxes().fork(PROJECT, id, ForkRequest.of(1)));
    harness.sandboxes().hibernate(PROJECT, id);
    assertThat(harness.run(id, "print(1)").stdout()).isEqualTo("1\n");
    assertThat(harness.images()).hasSize(1);
  }

  @Test
  void aSnapshotThatDoesNotFitIsUndone() {
    String id = harness.create();
    harness
        .sandboxes()
        .files(PROJECT, id)
        .write(
            "big", new ByteArrayInputStream(new byte[3 << 20]), new WriteOptions(0, false, false));
    limit(QuotaName.DISK, 2);
    Snapshots snapshots = harness.engine().snapshots();
    SnapshotRequest request = new SnapshotRequest("kept", Map.of(), SnapshotKind.MEMORY);
    AtollException refusal = refused(QuotaName.DISK, () -> snapshots.create(PROJECT, id, request));
    assertThat((Double) refusal.details().get("wanted")).isGreaterThan(2);
    assertThat(harness.images()).isEmpty();
    assertThat(
            snapshots
                .list(PROJECT, new SnapshotQuery(50, null, null, null, Set.of(), true, Map.of()))
                .items())
        .isEmpty();
    harness.engine().quotas().clear(PROJECT);
    assertThat(snapshots.create(PROJECT, id, request).name()).isEqualTo("kept");
    assertThat(usage(QuotaName.DISK).users().getFirst().name()).isEqualTo("kept");
    assertThat(used(QuotaName.DISK)).isGreaterThan(2);
    snapshots.delete(PROJECT, "kept");
    assertThat(used(QuotaName.DISK)).isLessThan(1);
  }

  @Test
  void aRootFileSystemThatIsImportedCountsAndStaysWithItsLastUser() throws IOException {
    Path templates = folder.resolve("data/templates");
    Path rootfs = templates.resolve(harness.folders("templates").getFirst()).resolve("rootfs");
    Files.write(rootfs.resolve("big"), new byte[3 << 20]);
    String id = harness.create();
    Snapshots here = harness.engine().snapshots();
    String snapshot = here.create(PROJECT, id, SnapshotRequest.unnamed()).id();
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    here.export(PROJECT, snapshot, file);
    Path other = folder.resolve("elsewhere");
    try (EngineHarness elsewhere = new EngineHarness(other)) {
      Path trusted = Files.createDirectories(other.resolve("data/trusted-servers"));
      Files.copy(folder.resolve("data/snapshots.pub"), trusted.resolve("here.pub"));
      List<String> before = elsewhere.folders("templates");
      Quotas quotas = elsewhere.engine().quotas();
      Snapshots there = elsewhere.engine().snapshots();
      Runnable imported =
          () ->
              there.importFrom(
                  PROJECT, new ByteArrayInputStream(file.toByteArray()), "theirs", null);

      quotas.set(PROJECT, limits(QuotaName.DISK, 2));
      AtollException refusal = refused(QuotaName.DISK, imported);
      assertThat((Double) refusal.details().get("wanted")).isGreaterThan(2);
      assertThat(elsewhere.images()).isEmpty();
      await().until(() -> elsewhere.folders("templates").equals(before));

      quotas.set(PROJECT, limits(QuotaName.DISK, 5));
      imported.run();
      assertThat(quotas.info(PROJECT).of(QuotaName.DISK).kinds().get("imported root"))
          .isBetween(3.0, 3.1);
      // A second snapshot of the same needs no second root file system.
      there.importFrom(PROJECT, new ByteArrayInputStream(file.toByteArray()), "again", null);
      assertThat(quotas.info(PROJECT).of(QuotaName.DISK).used()).isLessThan(4);

      Pools pools = elsewhere.engine().pools();
      pools.create(
          PROJECT,
          new PoolSpec(
              "ready", null, "theirs", 1, 1, null, null, null, null, null, Map.of(), null, null));
      await().until(() -> pools.get(PROJECT, "ready").ready() == 1);
      there.delete(PROJECT, "theirs");
      there.delete(PROJECT, "again");
      assertThat(elsewhere.folders("templates")).hasSize(before.size() + 1);
      pools.delete(PROJECT, "ready");
      there.expire();
      await().until(() -> elsewhere.folders("templates").equals(before));
      assertThat(quotas.info(PROJECT).of(QuotaName.DISK).used()).isZero();
    }
  }

  @Test
  void servicesAreCounted() {
    limit(QuotaName.SERVICES, 0);
    refused(
        QuotaName.SERVICES,
        () ->
            harness
                .engine()
                .services()
                .deploy(
                    PROJECT,
                    Json.lenient()
                        .readValue("{\"name\":\"web\",\"start\":\"serve\"}", ServiceSpec.class),
                    event -> {}));
    assertThat(used(QuotaName.SERVICES)).isZero();
  }

  @Test
  void aBuildTakesMemoryWhileItGoesOn() {
    limit(QuotaName.MEMORY, 1024);
    refused(
        QuotaName.MEMORY,
        () ->
            harness
                .engine()
                .templateBuilds()
                .start(
                    PROJECT,
                    "name: mine\nbase: {template: python}\n".getBytes(StandardCharsets.UTF_8)));
    assertThat(used(QuotaName.MEMORY)).isZero();
  }
}
