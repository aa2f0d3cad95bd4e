package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SandboxUpdate;
import dev.atoll.sdk.transport.Transport;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SandboxesTest {
  private final FakeServer server = new FakeServer();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void listingFetchesPagesAsNeeded() {
    server.on(
        "GET /v1/sandboxes",
        exchange -> {
          boolean first = !exchange.getRequestURI().getQuery().contains("cursor=");
          String cursor = first ? ",\"nextCursor\":\"c 1\"" : "";
          FakeServer.answer(exchange, 200, "{\"items\":[" + Fixture.SANDBOX + "]" + cursor + "}");
        });
    Pages<SandboxInfo> pages =
        Fixture.client(server)
            .sandboxes()
            .list(
                q -> q.state(SandboxState.RUNNING).state(SandboxState.PAUSED).metadata("a b", "c"));
    Iterator<SandboxInfo> iterator = pages.iterator();
    assertThat(iterator.next().id()).isEqualTo("sbx_1");
    assertThat(server.seen()).hasSize(1);
    iterator.next();
    assertThat(iterator.hasNext()).isFalse();
    assertThat(server.targets())
        .containsExactly(
            "GET /v1/sandboxes?limit=50&state=running%2Cpaused&metadata.a%20b=c",
            "GET /v1/sandboxes?limit=50&cursor=c%201&state=running%2Cpaused&metadata.a%20b=c");
    assertThat(pages.stream()).hasSize(2);
  }

  @Test
  void closeEndsWhatWasCreatedAndLeavesTheRest() {
    server.on("POST /v1/sandboxes", exchange -> FakeServer.answer(exchange, 201, Fixture.SANDBOX));
    server.on(
        "GET /v1/sandboxes/sbx_1", exchange -> FakeServer.answer(exchange, 200, Fixture.SANDBOX));
    server.on("DELETE /v1/sandboxes/sbx_1", exchange -> FakeServer.answer(exchange, 204, ""));
    Atoll atoll = Fixture.client(server);
    atoll.sandboxes().connect("sbx_1").close();
    assertThat(server.targets()).doesNotContain("DELETE /v1/sandboxes/sbx_1");
    atoll.sandboxes().create().close();
    assertThat(server.targets()).contains("DELETE /v1/sandboxes/sbx_1");
  }

  @Test
  void closeLeavesAPersistentSandbox() {
    server.on(
        "POST /v1/sandboxes",
        exchange ->
            FakeServer.answer(
                exchange,
                201,
                Fixture.SANDBOX.replace("\"persistent\":false", "\"persistent\":true")));
    Fixture.client(server).sandboxes().create(s -> s.persistent()).close();
    assertThat(server.seen()).hasSize(1);
  }

  @Test
  void closeWorksOnAnInterruptedThreadAndKeepsItsFlag() {
    server.on("POST /v1/sandboxes", exchange -> FakeServer.answer(exchange, 201, Fixture.SANDBOX));
    server.on("DELETE /v1/sandboxes/sbx_1", exchange -> FakeServer.answer(exchange, 204, ""));
    Sandbox sandbox = Fixture.client(server).sandboxes().create();
    Thread.currentThread().interrupt();
    sandbox.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(server.targets()).contains("DELETE /v1/sandboxes/sbx_1");
  }

  @Test
  void optionsBecomeTheSpecOnTheWire() {
    server.on("POST /v1/sandboxes", exchange -> FakeServer.answer(exchange, 201, Fixture.SANDBOX));
    Fixture.client(server)
        .sandboxes()
        .create(s -> s.template("python").memoryMiB(512).ttl(Duration.ofMinutes(10)));
    assertThat(Json.lenient().readTree(server.seen().get(0).body()))
        .isEqualTo(
            Json.lenient()
                .readTree("{\"template\":\"python\",\"memoryMiB\":512,\"ttlSeconds\":600.0}"));
    assertThat(server.seen().get(0).header("Authorization")).isEqualTo("Bearer " + Fixture.KEY);
  }

  @ParameterizedTest
  @MethodSource("dev.atoll.sdk.Fixture#transports")
  void updateIsAPatch(Transport transport) {
    server.on(
        "PATCH /v1/sandboxes/x", exchange -> FakeServer.answer(exchange, 200, Fixture.SANDBOX));
    SandboxUpdate update =
        new SandboxUpdate(60.0, null, null, null, null, null, null, null, null, null);
    Fixture.client(server, transport).sandboxes().handle("x").update(update);
    assertThat(server.seen().get(0).body()).isEqualTo("{\"ttlSeconds\":60.0}");
  }

  @Test
  void whatALambdaDoesNotSayStaysAsItIs() {
    server.on(
        "PATCH /v1/sandboxes/x", exchange -> FakeServer.answer(exchange, 200, Fixture.SANDBOX));
    Sandbox sandbox = Fixture.client(server).sandboxes().handle("x");
    sandbox.extend(Duration.ofMinutes(10));
    sandbox.update(s -> s.persistent(false).metadata(Map.of("job", "43")).allow("a.example:443"));
    sandbox.update(s -> s.noCheckpoints().secrets());
    assertThat(server.seen().stream().map(FakeServer.Seen::body))
        .containsExactly(
            "{\"ttlSeconds\":600.0}",
            "{\"persistent\":false,\"metadata\":{\"job\":\"43\"},\"network\":{\"mode\":\"packages\",\"allow\":[\"a.example:443\"],\"deny\":[]}}",
            "{\"checkpoints\":{\"everyRun\":false,\"keep\":10},\"secrets\":[]}");
  }
}
