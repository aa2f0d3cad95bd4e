package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PoolAndSpaceCommandsTest {
  private static final String POOL =
      """
      {"id":"pool_1","name":"workers","template":"python","warm":3,"max":20,"cpus":1,
       "memoryMiB":512,"diskMiB":1024,"processes":128,
       "network":{"mode":"allowlist","allow":["a.test"]},"ready":2,"claimed":4,"hits":5,"misses":1,
       "oldestSeconds":75.2,"refillMillis":12.6,"problem":"no memory",
       "createdAt":"2026-11-15T00:00:00Z"}
      """;

  private final CliHarness cli = new CliHarness();

  @AfterEach
  void stop() {
    cli.close();
  }

  @Test
  void aPoolIsMadeFromOptions() {
    cli.answers("POST /v1/pools", 201, POOL);
    assertThat(run("pool create workers --warm 3 --max 20 --cpus 1 --memory 1g -e A=b")).isZero();
    assertThat(cli.out()).isEqualTo("pool_1\n");
    assertThat(cli.lastBody())
        .isEqualTo(
            CliHarness.json(
                """
                {"name":"workers","warm":3,"max":20,"cpus":1.0,"memoryMiB":1024,"env":{"A":"b"}}
                """));
    run("pool create --warm 0 --max 1 --from base");
    assertThat(cli.lastBody())
        .isEqualTo(CliHarness.json("{\"snapshot\":\"base\",\"warm\":0,\"max\":1,\"env\":{}}"));
  }

  @Test
  void aPoolThatMakesNoSenseIsNotSent() {
    assertThat(run("pool create --warm 3 --max 2")).isEqualTo(2);
    assertThat(cli.err()).contains("--warm is 3, must not be more than max, 2");
    assertThat(cli.server.seen()).isEmpty();
  }

  @Test
  void poolsAreListedAndShown() {
    cli.answers("GET /v1/pools", 200, "{\"items\":[" + POOL + "]}");
    cli.answers("GET /v1/pools/workers", 200, POOL);
    assertThat(run("pool ls")).isZero();
    assertThat(cli.out())
        .isEqualTo(
            """
            ID      NAME     FROM    READY  CLAIMED  MAX  HITS  MISSES  PROBLEM
            pool_1  workers  python  2/3    4        20   5     1       no memory
            """);
    assertThat(run("pool info workers")).isZero();
    assertThat(cli.out())
        .containsPattern("ready +2 of 3")
        .containsPattern("network +allowlist\nallow +a.test")
        .containsPattern("oldest +1m")
        .containsPattern("last refill +13 ms")
        .containsPattern("claims +5 served at once, 1 found it empty");
  }

  @Test
  void aPoolIsChangedAndRemoved() {
    cli.answers("PATCH /v1/pools/workers", 200, POOL);
    cli.answers("DELETE /v1/pools/workers", 204, "");
    assertThat(run("pool update workers --warm 5")).isZero();
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{\"warm\":5}"));
    assertThat(run("pool rm workers")).isZero();
    assertThat(cli.server.targets()).last().isEqualTo("DELETE /v1/pools/workers");
  }

  @Test
  void aClaimPrintsTheSandboxAndLeavesItRunning() {
    cli.answers("POST /v1/pools/workers/claim", 201, CliHarness.SANDBOX);
    assertThat(run("pool claim workers")).isZero();
    assertThat(cli.out()).isEqualTo("sbx_1\n");
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{}"));
    run("pool claim workers job -e A=b -m k=v --ttl 1m --persistent --on-idle hibernate");
    assertThat(cli.lastBody())
        .isEqualTo(
            CliHarness.json(
                """
                {"name":"job","env":{"A":"b"},"metadata":{"k":"v"},"ttlSeconds":60.0,
                 "persistent":true,"onIdle":"hibernate"}
                """));
    assertThat(cli.server.targets()).containsOnly("POST /v1/pools/workers/claim");
  }

  @Test
  void aFullPoolIsAFailureOfAtoll() {
    cli.server.on(
        "POST /v1/pools/workers/claim",
        exchange -> FakeServer.error(exchange, 429, "quota_exceeded"));
    assertThat(run("pool claim workers")).isEqualTo(125);
    assertThat(cli.err()).isEqualTo("atoll: it is quota_exceeded\n       do better\n");
  }

  @Test
  void aSpaceMustExistUnlessItMayBeMade() {
    cli.answers("POST /v1/spaces/ana", 200, CliHarness.SANDBOX);
    cli.answers("GET /v1/sandboxes/sbx_1", 200, CliHarness.SANDBOX);
    assertThat(run("space ana")).isZero();
    assertThat(cli.out()).startsWith("SANDBOX").contains("sbx_1");
    assertThat(cli.server.seen().get(0).body()).isEqualTo("{}");
    cli.server.on(
        "GET /v1/sandboxes/ana", exchange -> FakeServer.error(exchange, 404, "sandbox_not_found"));
    cli.server.seen().clear();
    run("space ana --create --on-idle hibernate --idle-timeout 5m --memory 256");
    assertThat(CliHarness.json(cli.server.seen().get(1).body()))
        .isEqualTo(
            CliHarness.json(
                """
                {"create":{"memoryMiB":256,"idleTimeoutSeconds":300.0,"onIdle":"hibernate"}}
                """));
    assertThat(cli.server.targets()).doesNotContain("DELETE /v1/sandboxes/sbx_1");
  }

  @Test
  void whatASpaceIsNotIsRefused() {
    cli.answers("POST /v1/spaces/ana", 200, CliHarness.SANDBOX);
    cli.answers("GET /v1/sandboxes/ana", 200, CliHarness.SANDBOX);
    cli.answers("GET /v1/sandboxes/sbx_1", 200, CliHarness.SANDBOX);
    assertThat(run("space ana --memory 256")).isEqualTo(2);
    assertThat(cli.err()).contains("add --create");
    assertThat(run("space ana --create --memory 256 --checkpoints")).isEqualTo(2);
    assertThat(cli.err())
        .contains("--memory, --checkpoints says", "atoll update box --checkpoints", "atoll rm box");
    assertThat(cli.server.targets()).doesNotContain("POST /v1/spaces/ana");
    assertThat(run("space ana --create --memory 512 --ttl 1h --from base")).isZero();
  }

  private int run(String line) {
    return cli.run(line.split(" ", -1));
  }
}
