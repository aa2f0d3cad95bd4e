package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.atoll.model.Change;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.Json;
import dev.atoll.model.OnIdle;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import dev.atoll.model.StateDiff;
import dev.atoll.model.StateKind;
import dev.atoll.model.StateTree;
import dev.atoll.sdk.transport.Transport;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class StateTest {
  private final FakeServer server = new FakeServer();
  private final AtomicInteger calls = new AtomicInteger();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void optionsOfStateBecomeTheSpecOnTheWire() {
    answers("POST /v1/sandboxes", 201, Fixture.SANDBOX);
    Fixture.client(server)
        .sandboxes()
        .create(s -> s.snapshot("base").onIdle(OnIdle.HIBERNATE).checkpointEveryRun().forkAhead(2));
    Fixture.client(server).sandboxes().create(s -> s.checkpointEveryRun(3));
    assertBody(
        0,
        """
        {"snapshot":"base","onIdle":"hibernate","checkpoints":{"everyRun":true,"keep":10},
         "forkAhead":2}
        """);
    assertBody(1, "{\"checkpoints\":{\"everyRun\":true,\"keep\":3}}");
  }

  @Test
  void aSnapshotIsTakenWithAndWithoutAName() {
    answers("POST /v1/sandboxes/x/snapshots", 201, Fixture.SNAPSHOT);
    Sandbox sandbox = sandbox("x");
    assertThat(sandbox.snapshot().ownBytes()).isEqualTo(1024);
    sandbox.snapshot("base");
    sandbox.snapshot(new SnapshotRequest(null, Map.of("a", "b"), SnapshotKind.FILES));
    assertBody(0, "{\"labels\":{},\"kind\":\"memory\"}");
    assertBody(1, "{\"name\":\"base\",\"labels\":{},\"kind\":\"memory\"}");
    assertBody(2, "{\"labels\":{\"a\":\"b\"},\"kind\":\"files\"}");
  }

  @Test
  void childrenOfAForkEndWhenTheyAreClosed() {
    String second = Fixture.SANDBOX.replace("sbx_1", "sbx_2");
    String kept = second.replace("sbx_2", "sbx_3").replace(":false", ":true");
    answers(
        "POST /v1/sandboxes/x/fork",
        201,
        "{\"prepared\":false,\"children\":["
            + String.join(",", Fixture.SANDBOX, second, kept)
            + "]}");
    answers("DELETE /v1/sandboxes/sbx_2", 204, "");
    List<Sandbox> children = sandbox("x").fork(3);
    assertThat(children).extracting(Sandbox::id).containsExactly("sbx_1", "sbx_2", "sbx_3");
    children.get(1).close();
    children.get(2).close();
    assertThat(server.targets())
        .containsExactly("POST /v1/sandboxes/x/fork", "DELETE /v1/sandboxes/sbx_2");
    assertBody(0, "{\"count\":3,\"metadata\":{}}");
  }

  @Test
  void aSingleForkIsOneSandbox() {
    answers("POST /v1/sandboxes/x/fork", 201, "{\"children\":[" + Fixture.SANDBOX + "]}");
    assertThat(sandbox("x").fork().id()).isEqualTo("sbx_1");
    sandbox("x").fork(new ForkRequest(1, Map.of("try", "1"), 60.0));
    assertBody(1, "{\"count\":1,\"metadata\":{\"try\":\"1\"},\"ttlSeconds\":60.0}");
  }

  @Test
  void aMergeLeavesTheOthersUnlessToldOtherwise() {
    answers("POST /v1/sandboxes/x/merge", 200, Fixture.SANDBOX);
    sandbox("x").merge(sandbox("y"));
    sandbox("x").mergeAndDestroyOthers(sandbox("y"));
    assertBody(0, "{\"winner\":\"y\",\"destroyLosers\":false}");
    assertBody(1, "{\"winner\":\"y\",\"destroyLosers\":true}");
  }

  @Test
  void aRewindGoesByStepsOrToASnapshot() {
    answers("POST /v1/sandboxes/x/rewind", 200, Fixture.SANDBOX);
    sandbox("x").rewind(2);
    sandbox("x").rewindTo("base");
    assertBody(0, "{\"steps\":2}");
    assertBody(1, "{\"to\":\"base\"}");
  }

  @Test
  void aDiffLooksFromThisSandboxAtTheOther() {
    answers(
        "GET /v1/diff",
        200,
        """
        {"from":"sbx_1","to":"sbx_2","truncated":false,
         "files":[{"path":"/f","change":"added","kind":"file","toSize":3}],
         "variables":[{"context":"default","name":"x","change":"changed","from":"1","to":"2"}]}
        """);
    StateDiff diff = sandbox("mine").diff(sandbox("the other"));
    assertThat(diff.files().get(0).change()).isEqualTo(Change.ADDED);
    assertThat(diff.files().get(0).fromSize()).isNull();
    assertThat(diff.variables().get(0).to()).isEqualTo("2");
    Fixture.client(server).diff("snp_1", "sbx_2");
    assertThat(server.targets())
        .containsExactly(
            "GET /v1/diff?from=mine&to=the%20other", "GET /v1/diff?from=snp_1&to=sbx_2");
  }

  @Test
  void aTreeHasSandboxesAndCheckpoints() {
    answers(
        "GET /v1/sandboxes/x/tree",
        200,
        """
        {"root":"sbx_1","current":"sbx_1","nodes":[
         {"id":"sbx_1","kind":"sandbox","state":"running","createdAt":"2026-11-15T00:00:00Z"},
         {"id":"snp_1","kind":"checkpoint","parent":"sbx_1","state":"ready","note":"x = 1",
          "createdAt":"2026-11-15T00:00:00Z"}]}
        """);
    StateTree tree = sandbox("x").tree();
    assertThat(tree.nodes().get(1).kind()).isEqualTo(StateKind.CHECKPOINT);
    assertThat(tree.nodes().get(1).note()).isEqualTo("x = 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hibernate", "wake"})
  void hibernatingAndWakingAreSentAgainAfterABrokenConnection(String operation) {
    server.on(
        "POST /v1/sandboxes/x/" + operation,
        exchange -> {
          if (calls.incrementAndGet() == 1) {
            throw new IOException("cut before the answer");
          }
          FakeServer.answer(exchange, 200, Fixture.SANDBOX);
        });
    Sandbox sandbox = sandbox("x");
    assertThat((operation.equals("wake") ? sandbox.wake() : sandbox.hibernate()).id())
        .isEqualTo("sbx_1");
    assertThat(calls).hasValue(2);
  }

  @ParameterizedTest
  @MethodSource("dev.atoll.sdk.Fixture#transports")
  void whatMakesOrMovesStateIsNeverSentTwice(Transport transport) {
    Atoll atoll = Fixture.client(server, transport);
    Sandbox sandbox = atoll.sandboxes().handle("x");
    neverTwice("POST /v1/sandboxes/x/snapshots", s -> s.snapshot(), sandbox);
    neverTwice("POST /v1/sandboxes/x/fork", s -> s.fork(2), sandbox);
    neverTwice("POST /v1/sandboxes/x/merge", s -> s.merge(s), sandbox);
    neverTwice("POST /v1/sandboxes/x/rewind", s -> s.rewind(1), sandbox);
    neverTwice("POST /v1/pools/p/claim", s -> atoll.pools().claim("p"), sandbox);
    neverTwice(
        "POST /v1/pools", s -> atoll.pools().create(p -> p.name("p").warm(1).max(1)), sandbox);
  }

  private void neverTwice(String target, Consumer<Sandbox> call, Sandbox sandbox) {
    int before = server.seen().size();
    server.on(
        target,
        exchange -> {
          throw new IOException("cut before the answer");
        });
    assertThatExceptionOfType(ConnectionException.class).isThrownBy(() -> call.accept(sandbox));
    assertThat(server.targets().subList(before, server.seen().size())).containsExactly(target);
  }

  private Sandbox sandbox(String id) {
    return Fixture.client(server).sandboxes().handle(id);
  }

  private void answers(String target, int status, String body) {
    server.on(target, exchange -> FakeServer.answer(exchange, status, body));
  }

  private void assertBody(int request, String json) {
    assertThat(Json.lenient().readTree(server.seen().get(request).body()))
        .isEqualTo(Json.lenient().readTree(json));
  }
}
