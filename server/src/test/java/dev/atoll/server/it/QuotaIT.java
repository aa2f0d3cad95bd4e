package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.QuotaLimits;
import dev.atoll.model.QuotaName;
import dev.atoll.model.QuotaUsage;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.QuotaExceededException;
import dev.atoll.sdk.RetryPolicy;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Quotas with real machines, by the SDK. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class QuotaIT {
  private static final String PROJECT = "red";

  private RealServer server;
  private Atoll administrator;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    server = new RealServer();
    administrator = server.atoll();
    atoll = connect();
  }

  /** With a plain key, and without patience: a refusal is what is looked for. */
  private Atoll connect() {
    return Atoll.builder()
        .url(administrator.endpoint().url().toString())
        .apiKey(Objects.requireNonNull(administrator.keys().create("team", PROJECT).secret()))
        .retryPolicy(
            new RetryPolicy(1, Duration.ofMillis(10), Duration.ofMillis(10), Duration.ZERO))
        .build();
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
  }

  @AfterEach
  void endAll() {
    administrator.projects().clearQuota(PROJECT);
    atoll.pools().list().forEach(pool -> atoll.pools().delete(pool.id()));
    atoll.sandboxes().list().stream()
        .forEach(info -> atoll.sandboxes().handle(info.id()).terminate());
    atoll.snapshots().list().stream().forEach(snapshot -> atoll.snapshots().delete(snapshot.id()));
  }

  private void limit(QuotaLimits limits) {
    assertThat(administrator.projects().setQuota(PROJECT, limits).own()).isEqualTo(limits);
  }

  private QuotaUsage usage(QuotaName name) {
    return atoll.projects().quota().of(name);
  }

  private static void refused(QuotaName name, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            QuotaExceededException.class,
            e -> assertThat(e.details()).containsEntry("quota", name.wire()));
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
    while (!condition.call()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      Thread.sleep(50);
    }
  }

  @Test
  void sandboxesForksAndProgramsTakePlaces() {
    limit(QuotaLimits.ofSandboxes(2));
    try (Sandbox first = atoll.sandboxes().create()) {
      refused(QuotaName.SANDBOXES, () -> first.fork(2));
      Sandbox child = first.fork();
      refused(QuotaName.SANDBOXES, () -> atoll.sandboxes().create());
      refused(QuotaName.SANDBOXES, () -> atoll.execute("python", "print(1)"));
      child.terminate();
      assertThat(usage(QuotaName.SANDBOXES).used()).isEqualTo(1);
    }
    assertThat(usage(QuotaName.SANDBOXES).used()).isZero();
  }

  @Test
  void oneThatSleepsGivesItsMemoryToAnotherAlsoAfterTheServerWasKilled() throws Exception {
    Sandbox first = atoll.sandboxes().create(s -> s.memoryMiB(512));
    first.runCode("x = 7");
    limit(new QuotaLimits(null, 512L, null, null, null, null, null, null));
    refused(QuotaName.MEMORY, () -> atoll.sandboxes().create(s -> s.memoryMiB(512)));
    first.hibernate();
    Sandbox second = atoll.sandboxes().create(s -> s.memoryMiB(512));
    refused(QuotaName.MEMORY, () -> first.runCode("x"));
    server.kill();
    server.start();
    // It may be at another address now.
    administrator = server.atoll();
    atoll = connect();
    assertThat(usage(QuotaName.MEMORY).used()).isEqualTo(512);
    assertThat(usage(QuotaName.SANDBOXES).used()).isEqualTo(2);
    Sandbox again = atoll.sandboxes().connect(second.id());
    again.terminate();
    assertThat(atoll.sandboxes().handle(first.id()).runCode("x").text()).hasValue("7");
  }

  @Test
  void diskIsMeasuredAndASnapshotThatDoesNotFitIsUndone() throws Exception {
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      sandbox.runCode("open('big', 'wb').write(__import__('os').urandom(30 << 20))");
      await(
          "the disk is measured",
          () -> usage(QuotaName.DISK).kinds().getOrDefault("sandbox", 0.0) >= 30);
      limit(new QuotaLimits(null, null, null, 40L, null, null, null, null));
      refused(QuotaName.DISK, () -> sandbox.snapshot("mine"));
      assertThat(atoll.snapshots().list().stream()).isEmpty();
      administrator.projects().clearQuota(PROJECT);
      sandbox.snapshot("mine");
      assertThat(usage(QuotaName.DISK).kinds().getOrDefault("snapshot", 0.0)).isGreaterThan(30);
      limit(new QuotaLimits(null, null, null, 40L, null, null, null, null));
      refused(QuotaName.DISK, () -> atoll.sandboxes().create());
      assertThat(sandbox.runCode("6 * 7").text()).hasValue("42");
    }
  }

  @Test
  void aPoolKeepsNoMoreReadyThanFits() throws Exception {
    limit(new QuotaLimits(null, 512L, null, null, 1, 2, null, null));
    refused(QuotaName.WARM, () -> atoll.pools().create(p -> p.name("big").warm(3).max(9)));
    atoll.pools().create(p -> p.name("one").warm(2).max(9).memoryMiB(512));
    refused(QuotaName.POOLS, () -> atoll.pools().create(p -> p.name("two").warm(0).max(9)));
    await(
        "the pool says why it is not full",
        () -> String.valueOf(atoll.pools().get("one").problem()).contains("quota memory"));
    assertThat(atoll.pools().get("one").ready()).isEqualTo(1);
    try (Sandbox claimed = atoll.pools().claim("one")) {
      assertThat(claimed.runCode("6 * 7").text()).hasValue("42");
      refused(QuotaName.MEMORY, () -> atoll.pools().claim("one"));
    }
  }

  @Test
  void requestsAreHeldBackAndThoseOfAdministratorsAreNot() {
    limit(new QuotaLimits(null, null, null, null, null, null, null, 0.01));
    atoll.projects().quota();
    assertThatThrownBy(() -> atoll.projects().quota())
        .isInstanceOfSatisfying(
            QuotaExceededException.class, e -> assertThat(e.retryAfter()).isPresent());
    assertThat(administrator.projects().quotas()).isNotEmpty();
  }
}
