package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.atoll.model.AtollException;
import dev.atoll.model.Json;
import dev.atoll.model.OnIdle;
import dev.atoll.model.PoolUpdate;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SpacesAndPoolsTest {
  private final FakeServer server = new FakeServer();
  private final Atoll atoll = Fixture.client(server);

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aSpaceMustExistUnlessItMayBeMade() {
    answers("POST /v1/spaces/ana b", 200, Fixture.SANDBOX);
    atoll.spaces().open("ana b").close();
    atoll.spaces().openOrCreate("ana b").close();
    atoll.spaces().openOrCreate("ana b", s -> s.memoryMiB(256).onIdle(OnIdle.HIBERNATE)).close();
    assertBody(0, "{}");
    assertBody(1, "{\"create\":{}}");
    assertBody(2, "{\"create\":{\"memoryMiB\":256,\"onIdle\":\"hibernate\"}}");
    assertThat(server.targets()).containsOnly("POST /v1/spaces/ana%20b");
  }

  @Test
  void openingASpaceIsSentAgainAfterABrokenConnection() {
    AtomicInteger calls = new AtomicInteger();
    server.on(
        "POST /v1/spaces/ana",
        exchange -> {
          if (calls.incrementAndGet() == 1) {
            throw new IOException("cut before the answer");
          }
          FakeServer.answer(exchange, 201, Fixture.SANDBOX);
        });
    assertThat(atoll.spaces().openOrCreate("ana").id()).isEqualTo("sbx_1");
    assertThat(calls).hasValue(2);
  }

  @Test
  void optionsBecomeThePoolOnTheWire() {
    answers("POST /v1/pools", 201, Fixture.POOL);
    atoll.pools().create(p -> p.warm(3).max(20).cpus(1).memoryMiB(512));
    atoll.pools().create(p -> p.name("workers").snapshot("base").max(2).env("A", "b"));
    assertBody(0, "{\"warm\":3,\"max\":20,\"cpus\":1.0,\"memoryMiB\":512,\"env\":{}}");
    assertBody(
        1,
        "{\"name\":\"workers\",\"snapshot\":\"base\",\"warm\":0,\"max\":2,\"env\":{\"A\":\"b\"}}");
  }

  @Test
  void aPoolWithoutAMaximumIsRefusedBeforeAnythingIsSent() {
    assertThatExceptionOfType(AtollException.class)
        .isThrownBy(() -> atoll.pools().create(p -> p.warm(3)))
        .withMessageContaining("max");
    assertThat(server.seen()).isEmpty();
  }

  @Test
  void poolsAreListedReadChangedAndDeleted() {
    answers("GET /v1/pools", 200, "{\"items\":[" + Fixture.POOL + "]}");
    answers("GET /v1/pools/workers", 200, Fixture.POOL);
    answers("PATCH /v1/pools/workers", 200, Fixture.POOL);
    answers("DELETE /v1/pools/workers", 204, "");
    Pools pools = atoll.pools();
    assertThat(pools.list()).singleElement().isEqualTo(pools.get("workers"));
    assertThat(pools.get("workers").ready()).isEqualTo(2);
    pools.update("workers", new PoolUpdate(5, null));
    pools.delete("workers");
    assertThat(server.targets()).endsWith("PATCH /v1/pools/workers", "DELETE /v1/pools/workers");
    assertBody(3, "{\"warm\":5}");
  }

  @Test
  void whatIsClaimedIsTheClaimersToClose() {
    answers("POST /v1/pools/workers/claim", 201, Fixture.SANDBOX);
    answers("DELETE /v1/sandboxes/sbx_1", 204, "");
    atoll.pools().claim("workers").close();
    atoll
        .pools()
        .claim("workers", c -> c.name("job").env("A", "b").metadata("k", "v").ttl(minutes(1)));
    assertThat(server.targets())
        .containsExactly(
            "POST /v1/pools/workers/claim",
            "DELETE /v1/sandboxes/sbx_1",
            "POST /v1/pools/workers/claim");
    assertBody(0, "{}");
    assertBody(
        2,
        "{\"name\":\"job\",\"env\":{\"A\":\"b\"},\"metadata\":{\"k\":\"v\"},\"ttlSeconds\":60.0}");
  }

  private static Duration minutes(int count) {
    return Duration.ofMinutes(count);
  }

  private void answers(String target, int status, String body) {
    server.on(target, exchange -> FakeServer.answer(exchange, status, body));
  }

  private void assertBody(int request, String json) {
    assertThat(Json.lenient().readTree(server.seen().get(request).body()))
        .isEqualTo(Json.lenient().readTree(json));
  }
}
