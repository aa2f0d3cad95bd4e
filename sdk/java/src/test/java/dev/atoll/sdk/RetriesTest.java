package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.atoll.sdk.transport.Transport;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RetriesTest {
  private final FakeServer server = new FakeServer();
  private final AtomicInteger calls = new AtomicInteger();

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @MethodSource("dev.atoll.sdk.Fixture#transports")
  void aCreationIsSentAgainWithTheSameKeyAfterABrokenConnection(Transport transport) {
    server.on(
        "POST /v1/sandboxes",
        exchange -> {
          if (calls.incrementAndGet() == 1) {
            throw new IOException("cut before the answer");
          }
          FakeServer.answer(exchange, 201, Fixture.SANDBOX);
        });
    assertThat(Fixture.client(server, transport).sandboxes().create().id()).isEqualTo("sbx_1");
    assertThat(server.seen()).hasSize(2);
    String key = server.seen().get(0).header("Idempotency-key");
    assertThat(key).isNotBlank().isEqualTo(server.seen().get(1).header("Idempotency-key"));
  }

  @Test
  void aCreationThatIsStillUnderWayIsWaitedFor() {
    server.on(
        "POST /v1/sandboxes",
        exchange -> {
          switch (calls.incrementAndGet()) {
            case 1 -> throw new IOException("cut before the answer");
            case 2, 3 -> FakeServer.error(exchange, 409, "conflict");
            default -> FakeServer.answer(exchange, 201, Fixture.SANDBOX);
          }
        });
    assertThat(Fixture.client(server).sandboxes().create().id()).isEqualTo("sbx_1");
    assertThat(server.seen().stream().map(s -> s.header("Idempotency-key")).distinct()).hasSize(1);
  }

  @Test
  void twoCreationsHaveTwoKeys() {
    server.on("POST /v1/sandboxes", exchange -> FakeServer.answer(exchange, 201, Fixture.SANDBOX));
    Atoll atoll = Fixture.client(server);
    atoll.sandboxes().create();
    atoll.sandboxes().create();
    assertThat(server.seen().stream().map(s -> s.header("Idempotency-key")))
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("dev.atoll.sdk.Fixture#transports")
  void aRunIsNeverSentTwice(Transport transport) {
    server.on(
        "POST /v1/sandboxes/x/code",
        exchange -> {
          throw new IOException("cut before the answer");
        });
    assertThatExceptionOfType(ConnectionException.class)
        .isThrownBy(() -> Fixture.client(server, transport).sandboxes().handle("x").runCode("1"));
    assertThat(server.seen()).hasSize(1);
  }

  @Test
  void aBusyServerIsAskedAgainAfterTheTimeItNamed() {
    server.on(
        "POST /v1/sandboxes/x/pause",
        exchange -> {
          if (calls.incrementAndGet() < 2) {
            exchange.getResponseHeaders().set("Retry-After", "1");
            FakeServer.error(exchange, 503, "shutting_down");
          } else {
            FakeServer.answer(exchange, 200, Fixture.SANDBOX);
          }
        });
    long start = System.nanoTime();
    Fixture.client(server).sandboxes().handle("x").pause();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(900));
    assertThat(calls).hasValue(2);
  }

  @Test
  void attemptsAreBounded() {
    server.on("GET /v1/server", exchange -> FakeServer.error(exchange, 503, "shutting_down"));
    assertThatExceptionOfType(ApiException.class).isThrownBy(() -> Fixture.client(server).server());
    assertThat(server.seen()).hasSize(4);
  }

  @Test
  void aStreamedUploadIsNotRepeated() {
    server.on(
        "PUT /v1/sandboxes/x/files", exchange -> FakeServer.error(exchange, 503, "shutting_down"));
    byte[] bytes = "abc".getBytes(StandardCharsets.UTF_8);
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(
            () ->
                Fixture.client(server)
                    .sandboxes()
                    .handle("x")
                    .files()
                    .write("f", new ByteArrayInputStream(bytes)));
    assertThat(server.seen()).hasSize(1);
    assertThat(server.seen().get(0).body()).isEqualTo("abc");
  }

  @Test
  void delaysGrowWithJitterUpToTheLongest() {
    RetryPolicy policy = RetryPolicy.defaults();
    assertThat(policy.delay(1)).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
    assertThat(policy.delay(3)).isBetween(Duration.ofMillis(200), Duration.ofMillis(400));
    assertThat(policy.delay(60)).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(10));
  }
}
