package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.Cidr;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class TrafficTest {

  @Test
  void aBucketLetsItsRateThrough() {
    AtomicLong now = new AtomicLong();
    TokenBucket bucket = new TokenBucket(10, Duration.ofSeconds(1), 5, now::get);
    assertThat(bucket.tryTake(5)).isTrue();
    assertThat(bucket.tryTake(1)).isFalse();
    now.addAndGet(Duration.ofMillis(100).toNanos());
    assertThat(bucket.tryTake(1)).isTrue();
    assertThat(bucket.take(10)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void aSandboxIsBoundByItsProjectToo() {
    TrafficAccount project = new TrafficAccount("the project", limits(1, 1000), null, 0);
    TrafficAccount one = new TrafficAccount("the sandbox", limits(5, 1000), project, 0);
    TrafficAccount two = new TrafficAccount("the sandbox", limits(5, 1000), project, 400);
    assertThat(one.open()).isNull();
    assertThat(two.open()).contains("the project");
    assertThat(two.connections()).isZero();
    one.closed();
    assertThat(two.open()).isNull();
    two.count(600);
    assertThat(two.usedUp()).contains("the sandbox");
    assertThat(one.usedUp()).isNull();
    one.count(400);
    assertThat(one.usedUp()).contains("the project");
  }

  @Test
  void speedAndQuestionsAreBoundForSandboxAndProject() {
    TrafficLimits tight = new TrafficLimits(9, 1 << 20, 1000, 3, 5);
    TrafficLimits wide = new TrafficLimits(99, 1 << 30, 1 << 30, 1000, 1000);
    for (String whose : List.of("the sandbox", "the project")) {
      boolean ofSandbox = whose.equals("the sandbox");
      TrafficAccount project = new TrafficAccount("the project", ofSandbox ? wide : tight, null, 0);
      TrafficAccount sandbox =
          new TrafficAccount("the sandbox", ofSandbox ? tight : wide, project, 0);
      assertThat(sandbox.count(1000)).isZero();
      assertThat(sandbox.count(2000)).isCloseTo(Duration.ofSeconds(2), Duration.ofSeconds(1));
      assertThat(sandbox.query(4)).isNull();
      assertThat(sandbox.query(2)).contains(whose, "new names an hour");
      assertThat(sandbox.query(0)).isNull();
      assertThat(sandbox.query(0)).contains(whose, "names a minute");
    }
  }

  @Test
  void noiseInNamesWeighsMore() {
    assertThat(NameWeight.of("www.example.test")).isEqualTo(1);
    assertThat(NameWeight.of("a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0.x.test")).isGreaterThan(8);
  }

  @Test
  void aNameIsLookedUpOnceForAllWhoAsk() {
    AtomicInteger lookups = new AtomicInteger();
    try (Resolver resolver =
        new Resolver(
            name -> {
              lookups.incrementAndGet();
              return List.of(Cidr.literal("1.1.1.1"));
            })) {
      for (int i = 0; i < 5; i++) {
        assertThat(resolver.resolve("a.test", Duration.ofSeconds(5)))
            .isInstanceOf(Resolver.Answer.Found.class);
      }
      assertThat(lookups).hasValue(1);
      assertThat(resolver.knows("a.test")).isTrue();
    }
  }

  @Test
  void aSlowNameServerCostsItsDeadlineOnly() {
    CountDownLatch never = new CountDownLatch(1);
    try (Resolver resolver =
        new Resolver(
            name -> {
              try {
                never.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              return List.of();
            })) {
      assertThat(resolver.resolve("slow.test", Duration.ofMillis(50)))
          .isInstanceOf(Resolver.Answer.Failed.class);
    }
  }

  @Test
  void oneSandboxDoesNotUseUpTheLookups() throws InterruptedException {
    CountDownLatch slow = new CountDownLatch(1);
    try (Resolver resolver =
        new Resolver(
            name -> {
              try {
                if (name.startsWith("slow")) {
                  slow.await();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              return List.of(Cidr.literal("1.1.1.1"));
            })) {
      Semaphore permits = new Semaphore(2);
      Duration moment = Duration.ofMillis(30);
      for (int i = 0; i < 5; i++) {
        assertThat(resolver.resolve("slow%d.test".formatted(i), moment, permits))
            .isInstanceOf(Resolver.Answer.Failed.class);
      }
      assertThat(permits.availablePermits()).isZero();
      assertThat(resolver.resolve("fast.test", moment, permits))
          .isInstanceOf(Resolver.Answer.Failed.class);
      assertThat(resolver.resolve("fast.test", Duration.ofSeconds(5), new Semaphore(2)))
          .isInstanceOf(Resolver.Answer.Found.class);
      slow.countDown();
      assertThat(permits.tryAcquire(2, 5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void anAddressThatRefusesIsFollowedByTheNext() throws IOException, InterruptedException {
    try (FakeInternet server = FakeInternet.echo()) {
      List<InetAddress> addresses = List.of(Cidr.literal("127.0.0.2"), Cidr.literal("127.0.0.1"));
      Dialer.Dialled dialled =
          new StaggeredDialer().dial(addresses, server.port(), Duration.ofSeconds(5));
      assertThat(dialled.address()).isEqualTo(Cidr.literal("127.0.0.1"));
      dialled.socket().close();
      assertThatThrownBy(
              () ->
                  new StaggeredDialer()
                      .dial(addresses.subList(0, 1), server.port(), Duration.ofSeconds(5)))
          .isInstanceOf(ConnectException.class);
    }
  }

  @Test
  void addressesOfBothKindsTakeTurns() {
    List<InetAddress> mixed =
        StaggeredDialer.inTurn(
            List.of(Cidr.literal("1.1.1.1"), Cidr.literal("1.1.1.2"), Cidr.literal("2600::1")));
    assertThat(mixed)
        .containsExactly(Cidr.literal("2600::1"), Cidr.literal("1.1.1.1"), Cidr.literal("1.1.1.2"));
  }

  private static TrafficLimits limits(int connections, long bytes) {
    return new TrafficLimits(connections, bytes, 1 << 20, 100, 100);
  }
}
