package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.server.EngineFixture.Answer;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Snapshots, forks, sleep, spaces and pools over HTTP, down to a fake guest and back. */
@Timeout(60)
final class StateApiTest {
  @TempDir Path folder;
  private EngineFixture server = unset();

  @SuppressWarnings("NullAway")
  private static EngineFixture unset() {
    return null;
  }

  @BeforeEach
  void start() throws Exception {
    server = new EngineFixture(folder);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aForkGoesOnAfterFilesWereUsedBeforeIt() throws Exception {
    String sandbox = server.sandbox();
    server.put(sandbox + "/files?path=a", new byte[] {'1'});
    server.put(sandbox + "/files?path=b", new byte[] {'2'});
    String child = server.post(sandbox + "/fork", "{}").json().at("/children/0/id").asString();
    assertThat(server.get("/v1/sandboxes/" + child + "/files?path=a").body()).isEqualTo("1");
    server.post(sandbox + "/hibernate", "");
    assertThat(server.get(sandbox + "/files?path=b").body()).isEqualTo("2");
  }

  @Test
  void snapshotIsTakenListedUsedAndDeleted() throws Exception {
    String sandbox = server.sandbox();
    run(sandbox, "x = 20");
    Answer taken =
        server.post(sandbox + "/snapshots", "{\"name\":\"loaded\",\"labels\":{\"step\":\"1\"}}");
    assertThat(taken.status()).as(taken.body()).isEqualTo(201);
    String id = text(taken, "id");
    assertThat(id).startsWith("snp_");
    assertThat(taken.header("Location")).isEqualTo("/v1/snapshots/" + id);
    assertThat(text(taken, "kind")).isEqualTo("memory");
    assertThat(text(taken, "state")).isEqualTo("ready");
    assertThat(result(sandbox, "x")).isEqualTo("20");
    run(sandbox, "x = 99");
    assertThat(text(server.get("/v1/snapshots/loaded"), "id")).isEqualTo(id);
    Answer made = server.post("/v1/sandboxes", "{\"snapshot\":\"loaded\"}");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    assertThat(text(made, "snapshot")).isEqualTo(id);
    assertThat(result("/v1/sandboxes/" + text(made, "id"), "x + 1")).isEqualTo("21");
    assertThat(server.post(sandbox + "/snapshots", "{\"name\":\"loaded\"}").code())
        .isEqualTo("name_taken");
    assertThat(server.delete("/v1/snapshots/loaded").status()).isEqualTo(204);
    assertThat(server.get("/v1/snapshots/" + id).code()).isEqualTo("snapshot_not_found");
    assertThat(result("/v1/sandboxes/" + text(made, "id"), "x + 1")).isEqualTo("21");
  }

  @Test
  void snapshotListingsPageAndFilter() throws Exception {
    String sandbox = server.sandbox();
    for (int i = 0; i < 3; i++) {
      server.post(sandbox + "/snapshots", "{\"labels\":{\"n\":\"" + i + "\"}}");
    }
    server.post(server.sandbox() + "/snapshots", "{\"kind\":\"memory\",\"name\":\"other\"}");
    Answer first = server.get("/v1/snapshots?limit=3");
    assertThat(first.json().get("items")).hasSize(3);
    assertThat(first.json().at("/items/0/name").asString()).isEqualTo("other");
    Answer second = server.get("/v1/snapshots?limit=3&cursor=" + text(first, "nextCursor"));
    assertThat(second.json().get("items")).hasSize(1);
    assertThat(second.json().has("nextCursor")).isFalse();
    assertThat(items("/v1/snapshots?sandbox=" + id(sandbox))).isEqualTo(3);
    assertThat(items("/v1/snapshots?labels.n=1")).isEqualTo(1);
    assertThat(items("/v1/snapshots?kind=files")).isZero();
    assertThat(items("/v1/snapshots?kind=files,memory")).isEqualTo(4);
    assertThat(items("/v1/snapshots?name=other")).isEqualTo(1);
    assertThat(items("/v1/snapshots?automatic=true")).isEqualTo(4);
  }

  @Test
  void snapshotTravelsAsAFile() throws Exception {
    String sandbox = server.sandbox();
    run(sandbox, "x = 7");
    String id = text(server.post(sandbox + "/snapshots", "{\"name\":\"seven\"}"), "id");
    HttpResponse<InputStream> exported =
        server
            .client()
            .send(
                server.request("/v1/snapshots/seven/export").build(),
                HttpResponse.BodyHandlers.ofInputStream());
    assertThat(exported.statusCode()).isEqualTo(200);
    assertThat(exported.headers().firstValue("Content-Disposition"))
        .contains("attachment; filename=\"seven.atoll\"");
    byte[] file = exported.body().readAllBytes();
    assertThat(file).isNotEmpty();
    server.delete("/v1/snapshots/" + id);
    server.delete(sandbox);
    Answer imported = importing("again", file);
    assertThat(imported.status()).as(imported.body()).isEqualTo(201);
    assertThat(imported.header("Location")).isEqualTo("/v1/snapshots/" + text(imported, "id"));
    Answer made = server.post("/v1/sandboxes", "{\"snapshot\":\"again\"}");
    assertThat(result("/v1/sandboxes/" + text(made, "id"), "x")).isEqualTo("7");
    byte[] half = Arrays.copyOf(file, file.length / 2);
    assertThat(importing("half", half).status()).isGreaterThanOrEqualTo(400);
    assertThat(server.get("/v1/snapshots/half").code()).isEqualTo("snapshot_not_found");
  }

  @Test
  void childrenOfAForkGoTheirOwnWays() throws Exception {
    String parent = server.sandbox();
    run(parent, "x = 1");
    Answer forked = server.post(parent + "/fork", "{\"count\":2,\"metadata\":{\"a\":\"b\"}}");
    assertThat(forked.status()).as(forked.body()).isEqualTo(201);
    JsonNode children = forked.json().get("children");
    assertThat(children).hasSize(2);
    Set<String> ids = new HashSet<>();
    for (JsonNode child : children) {
      ids.add(child.get("id").asString());
      assertThat(child.get("parent").asString()).isEqualTo(id(parent));
      assertThat(child.get("tree").asString()).isEqualTo(id(parent));
      assertThat(child.at("/metadata/a").asString()).isEqualTo("b");
    }
    assertThat(ids).hasSize(2);
    String first = "/v1/sandboxes/" + children.at("/0/id").asString();
    String second = "/v1/sandboxes/" + children.at("/1/id").asString();
    run(first, "x = 2");
    assertThat(result(first, "x")).isEqualTo("2");
    assertThat(result(second, "x")).isEqualTo("1");
    assertThat(result(parent, "x")).isEqualTo("1");
    assertThat(server.post(parent + "/fork", "").json().get("children")).hasSize(1);
  }

  @Test
  void winnerIsMergedAndLosersEnd() throws Exception {
    String parent = server.sandbox();
    run(parent, "x = 1");
    JsonNode children = server.post(parent + "/fork", "{\"count\":2}").json().get("children");
    String winner = children.at("/0/id").asString();
    String loser = children.at("/1/id").asString();
    run("/v1/sandboxes/" + winner, "x = 2");
    Answer merged =
        server.post(parent + "/merge", "{\"winner\":\"" + winner + "\",\"destroyLosers\":true}");
    assertThat(merged.status()).as(merged.body()).isEqualTo(200);
    assertThat(text(merged, "id")).isEqualTo(id(parent));
    assertThat(result(parent, "x")).isEqualTo("2");
    assertThat(text(server.get("/v1/sandboxes/" + winner), "reason")).isEqualTo("merged");
    assertThat(text(server.get("/v1/sandboxes/" + loser), "state")).isEqualTo("terminated");
    Answer stranger =
        server.post(parent + "/merge", "{\"winner\":\"" + id(server.sandbox()) + "\"}");
    assertThat(stranger.status()).isEqualTo(409);
    assertThat(stranger.code()).isEqualTo("not_related");
  }

  @Test
  void runsAreTakenBack() throws Exception {
    Answer created = server.post("/v1/sandboxes", "{\"checkpoints\":{\"everyRun\":true}}");
    assertThat(created.json().at("/checkpoints/keep").asInt()).isEqualTo(10);
    String sandbox = "/v1/sandboxes/" + text(created, "id");
    run(sandbox, "x = 1");
    run(sandbox, "x = 2");
    assertThat(items("/v1/snapshots")).isZero();
    assertThat(items("/v1/snapshots?automatic=true")).isPositive();
    assertThat(items("/v1/snapshots?sandbox=" + id(sandbox))).isPositive();
    Answer back = server.post(sandbox + "/rewind", "{\"steps\":1}");
    assertThat(back.status()).as(back.body()).isEqualTo(200);
    assertThat(result(sandbox, "x")).isEqualTo("1");
    Answer tree = server.get(sandbox + "/tree");
    assertThat(text(tree, "root")).isEqualTo(id(sandbox));
    assertThat(tree.json().at("/nodes/0/kind").asString()).isEqualTo("sandbox");
    assertThat(tree.body()).contains("\"checkpoint\"");
  }

  @Test
  void onlyRelativesAreCompared() throws Exception {
    String sandbox = server.sandbox();
    Answer strangers = server.get("/v1/diff?from=" + id(sandbox) + "&to=" + id(server.sandbox()));
    assertThat(strangers.code()).isEqualTo("not_related");
  }

  @Test
  void hibernatedSandboxWakesWithTheNextCall() throws Exception {
    String sandbox = server.sandbox();
    run(sandbox, "x = 3");
    assertThat(text(server.post(sandbox + "/hibernate", ""), "state")).isEqualTo("hibernated");
    assertThat(text(server.post(sandbox + "/hibernate", ""), "state")).isEqualTo("hibernated");
    assertThat(text(server.get(sandbox), "state")).isEqualTo("hibernated");
    assertThat(result(sandbox, "x")).isEqualTo("3");
    assertThat(text(server.get(sandbox), "state")).isEqualTo("running");
    server.post(sandbox + "/hibernate", "");
    assertThat(text(server.post(sandbox + "/wake", ""), "state")).isEqualTo("running");
    assertThat(text(server.post(sandbox + "/wake", ""), "state")).isEqualTo("running");
    server.post(sandbox + "/pause", "");
    assertThat(text(server.post(sandbox + "/wake", ""), "state")).isEqualTo("running");
  }

  @Test
  void spaceIsMadeOnceAndFoundAfterwards() throws Exception {
    Answer made = server.post("/v1/spaces/home", "{\"create\":{\"persistent\":true}}");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    assertThat(made.header("Location")).isEqualTo("/v1/sandboxes/" + text(made, "id"));
    assertThat(text(made, "name")).isEqualTo("home");
    run("/v1/sandboxes/home", "x = 4");
    server.post("/v1/sandboxes/home/hibernate", "");
    Answer found = server.post("/v1/spaces/home", "{\"create\":{}}");
    assertThat(found.status()).isEqualTo(200);
    assertThat(found.json().get("id")).isEqualTo(made.json().get("id"));
    assertThat(text(found, "state")).isEqualTo("running");
    assertThat(server.post("/v1/spaces/home", "").status()).isEqualTo(200);
    assertThat(result("/v1/sandboxes/home", "x")).isEqualTo("4");
  }

  @Test
  void poolHandsOutAndEnds() throws Exception {
    Answer made = server.post("/v1/pools", "{\"name\":\"p\",\"warm\":1,\"max\":2}");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    assertThat(made.header("Location")).isEqualTo("/v1/pools/" + text(made, "id"));
    assertThat(items("/v1/pools")).isEqualTo(1);
    Answer claimed = server.post("/v1/pools/p/claim", "{\"name\":\"mine\"}");
    assertThat(claimed.status()).as(claimed.body()).isEqualTo(201);
    assertThat(claimed.header("Location")).isEqualTo("/v1/sandboxes/" + text(claimed, "id"));
    assertThat(text(claimed, "pool")).isEqualTo(text(made, "id"));
    assertThat(server.post("/v1/pools/p/claim", "").status()).isEqualTo(201);
    Answer full = server.post("/v1/pools/p/claim", "");
    assertThat(full.status()).as(full.body()).isEqualTo(429);
    assertThat(full.code()).isEqualTo("quota_exceeded");
    assertThat(full.header("Retry-After")).isNotEmpty();
    Answer changed =
        server.send(
            server
                .request("/v1/pools/p")
                .method("PATCH", BodyPublishers.ofString("{\"warm\":0,\"max\":3}")));
    assertThat(changed.json().get("max").asInt()).isEqualTo(3);
    assertThat(server.get("/v1/pools/p").json().get("claimed").asInt()).isEqualTo(2);
    assertThat(server.delete("/v1/pools/p").status()).isEqualTo(204);
    assertThat(server.get("/v1/pools/p").code()).isEqualTo("pool_not_found");
    assertThat(result("/v1/sandboxes/mine", "1 + 1")).isEqualTo("2");
  }

  @Test
  void stateOfOtherProjectsDoesNotExist() throws Exception {
    String sandbox = server.sandbox();
    String snapshot = text(server.post(sandbox + "/snapshots", ""), "id");
    String pool = text(server.post("/v1/pools", "{\"warm\":0,\"max\":1}"), "id");
    String foreign =
        Objects.requireNonNull(server.server().engine().keys().create("other", "test").secret());
    assertThat(as(foreign, "/v1/snapshots/" + snapshot).code()).isEqualTo("snapshot_not_found");
    assertThat(as(foreign, "/v1/snapshots/" + snapshot + "/export").code())
        .isEqualTo("snapshot_not_found");
    assertThat(as(foreign, "/v1/pools/" + pool).code()).isEqualTo("pool_not_found");
    assertThat(as(foreign, sandbox + "/tree").code()).isEqualTo("sandbox_not_found");
    assertThat(as(foreign, "/v1/diff?from=" + snapshot + "&to=" + id(sandbox)).status())
        .isEqualTo(404);
    assertThat(as(foreign, "/v1/snapshots").json().get("items")).isEmpty();
    assertThat(as(foreign, "/v1/pools").json().get("items")).isEmpty();
  }

  private Answer as(String secret, String path) throws Exception {
    return server.send(HttpRequest.newBuilder(server.url(path)).header("X-API-Key", secret));
  }

  private Answer importing(String name, byte[] file) throws Exception {
    return server.send(
        server
            .request("/v1/snapshots/import?name=" + name)
            .header("Content-Type", "application/zstd")
            .POST(BodyPublishers.ofByteArray(file)));
  }

  private void run(String sandbox, String code) throws Exception {
    Answer answer = server.post(sandbox + "/code", "{\"code\":\"" + code + "\"}");
    assertThat(answer.json().path("status").asString()).as(answer.body()).isEqualTo("ok");
  }

  private String result(String sandbox, String expression) throws Exception {
    Answer answer = server.post(sandbox + "/code", "{\"code\":\"" + expression + "\"}");
    return answer.json().at("/result/text~1plain").asString();
  }

  private int items(String path) throws Exception {
    return server.get(path).json().get("items").size();
  }

  private static String text(Answer answer, String field) {
    return answer.json().path(field).asString();
  }

  private static String id(String sandboxPath) {
    return sandboxPath.substring(sandboxPath.lastIndexOf('/') + 1);
  }
}
