package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.atoll.driver.testkit.FakeDriver;
import dev.atoll.model.Json;
import dev.atoll.server.EngineFixture.Answer;
import dev.atoll.server.config.ConfigException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The native API over HTTP, down to a fake guest and back. */
@Timeout(60)
final class NativeApiTest {
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
  void sandboxLivesFromCreateToDelete() throws Exception {
    Answer created =
        server.post(
            "/v1/sandboxes",
            "{\"name\":\"box\",\"metadata\":{\"team\":\"a\"},\"env\":{\"A\":\"1\"}}");
    assertThat(created.status()).as(created.body()).isEqualTo(201);
    String id = created.json().get("id").asString();
    assertThat(created.header("Location")).isEqualTo("/v1/sandboxes/" + id);
    assertThat(created.json().get("state").asString()).isEqualTo("running");
    assertThat(server.get("/v1/sandboxes/box").json().get("id").asString()).isEqualTo(id);
    Answer changed =
        server.send(
            server
                .request("/v1/sandboxes/box")
                .method("PATCH", BodyPublishers.ofString("{\"metadata\":{\"team\":\"b\"}}")));
    assertThat(changed.json().at("/metadata/team").asString()).isEqualTo("b");
    assertThat(server.post("/v1/sandboxes/box/pause", "").json().get("state").asString())
        .isEqualTo("paused");
    assertThat(server.post("/v1/sandboxes/box/resume", "").json().get("state").asString())
        .isEqualTo("running");
    assertThat(server.get("/v1/sandboxes/box/stats").json().get("memoryLimitBytes").asLong())
        .isEqualTo(1L << 30);
    assertThat(server.delete("/v1/sandboxes/" + id).status()).isEqualTo(204);
    assertThat(server.delete("/v1/sandboxes/" + id).status()).isEqualTo(204);
    assertThat(server.get("/v1/sandboxes/" + id).json().get("state").asString())
        .isEqualTo("terminated");
    assertThat(server.delete("/v1/sandboxes/sbx_unknown").code()).isEqualTo("sandbox_not_found");
  }

  @Test
  void listingsPageAndFilter() throws Exception {
    for (int i = 0; i < 3; i++) {
      server.post("/v1/sandboxes", "{\"metadata\":{\"n\":\"" + i + "\",\"all\":\"x\"}}");
    }
    Answer first = server.get("/v1/sandboxes?limit=2");
    assertThat(first.json().get("items")).hasSize(2);
    Answer second =
        server.get("/v1/sandboxes?limit=2&cursor=" + first.json().get("nextCursor").asString());
    assertThat(second.json().get("items")).hasSize(1);
    assertThat(second.json().has("nextCursor")).isFalse();
    assertThat(server.get("/v1/sandboxes?metadata.n=1&metadata.all=x").json().get("items"))
        .hasSize(1);
    String id = first.json().at("/items/0/id").asString();
    server.delete("/v1/sandboxes/" + id);
    assertThat(server.get("/v1/sandboxes").json().get("items")).hasSize(2);
    assertThat(server.get("/v1/sandboxes?all=true").json().get("items")).hasSize(3);
    assertThat(server.get("/v1/sandboxes?state=terminated").json().get("items")).hasSize(1);
  }

  @Test
  void idempotencyKeyGivesTheSameSandbox() throws Exception {
    Answer first = createWithKey("{}");
    assertThat(createWithKey("{}").json().get("id")).isEqualTo(first.json().get("id"));
    assertThat(createWithKey("{\"cpus\":2}").code()).isEqualTo("idempotency_mismatch");
  }

  private Answer createWithKey(String body) throws Exception {
    return server.send(
        server
            .request("/v1/sandboxes")
            .header("Idempotency-Key", "once")
            .POST(BodyPublishers.ofString(body)));
  }

  @Test
  void codeKeepsItsVariables() throws Exception {
    String sandbox = server.sandbox();
    Answer set = server.post(sandbox + "/code", "{\"code\":\"x = 20\"}");
    assertThat(set.json().get("status").asString()).as(set.body()).isEqualTo("ok");
    Answer answer = server.post(sandbox + "/code", "{\"code\":\"print('hi')\\nx + 22\"}");
    assertThat(answer.json().at("/result/text~1plain").asString()).isEqualTo("42");
    assertThat(answer.json().get("stdout").asString()).isEqualTo("hi\n");
    Answer failed = server.post(sandbox + "/code", "{\"code\":\"raise ValueError('no')\"}");
    assertThat(failed.status()).isEqualTo(200);
    assertThat(failed.json().get("status").asString()).isEqualTo("error");
    assertThat(failed.json().at("/error/name").asString()).isEqualTo("ValueError");
  }

  @Test
  void codeIsStreamedAndCanBeFollowedAgain() throws Exception {
    String sandbox = server.sandbox();
    List<String> lines = lines(sandbox + "/code", "{\"code\":\"print('one')\\nprint('two')\\n5\"}");
    assertThat(lines.getFirst()).startsWith("{\"type\":\"started\"");
    assertThat(lines.getLast()).startsWith("{\"type\":\"end\",\"status\":\"ok\"");
    assertThat(lines).anyMatch(line -> line.contains("\"result\"") && line.contains("\"5\""));
    String run = json(lines.getFirst()).get("id").asString();
    List<String> again =
        server.get(sandbox + "/runs/" + run + "/events?from=4").body().lines().toList();
    assertThat(again.getFirst()).isEqualTo(lines.getFirst());
    assertThat(again).anyMatch(line -> line.contains("\"offset\":4") && line.contains("two"));
    assertThat(again).noneMatch(line -> line.contains("one"));
    assertThat(again.getLast()).startsWith("{\"type\":\"end\"");
  }

  @Test
  void longRunIsFollowedAndCancelled() throws Exception {
    String sandbox = server.sandbox();
    try (BufferedReader reader = open(sandbox + "/code", "{\"code\":\"sleep(30)\"}")) {
      String run = json(String.valueOf(reader.readLine())).get("id").asString();
      assertThat(reader.readLine()).isEqualTo("{\"type\":\"ping\"}");
      assertThat(server.post(sandbox + "/runs/" + run + "/cancel", "").status()).isEqualTo(204);
      String last = "";
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        last = line;
      }
      assertThat(json(last).get("status").asString()).isEqualTo("interrupted");
    }
  }

  @Test
  void contextsComeAndGo() throws Exception {
    String contexts = server.sandbox() + "/contexts";
    Answer opened = server.post(contexts, "{\"name\":\"other\"}");
    assertThat(opened.status()).as(opened.body()).isEqualTo(201);
    assertThat(opened.json().get("language").asString()).isEqualTo("python");
    assertThat(server.get(contexts).body()).contains("\"other\"");
    assertThat(server.post(contexts + "/other/restart", "").status()).isEqualTo(200);
    assertThat(server.post(contexts + "/other/interrupt", "").status()).isEqualTo(204);
    assertThat(server.delete(contexts + "/other").status()).isEqualTo(204);
    assertThat(server.delete(contexts + "/other").code()).isEqualTo("context_not_found");
  }

  @Test
  void commandsRunToTheirEnd() throws Exception {
    String sandbox = server.sandbox();
    Answer answer = server.post(sandbox + "/commands", "{\"shell\":\"echo a; exit 3\"}");
    assertThat(answer.json().get("stdout").asString()).as(answer.body()).isEqualTo("a\n");
    assertThat(answer.json().get("exitCode").asInt()).isEqualTo(3);
    assertThat(answer.json().get("status").asString()).isEqualTo("error");
    Answer missing = server.post(sandbox + "/commands", "{\"argv\":[\"nope\"]}");
    assertThat(missing.status()).isEqualTo(422);
    assertThat(missing.code()).isEqualTo("command_not_found");
    assertThat(lines(sandbox + "/commands", "{\"argv\":[\"echo\",\"b\"]}"))
        .anyMatch(line -> line.contains("\"stdout\"") && line.contains("b\\n"));
  }

  @Test
  void processesTakeInputAndSignals() throws Exception {
    String processes = server.sandbox() + "/processes";
    Answer started =
        server.post(processes, "{\"argv\":[\"cat\"],\"openStdin\":true,\"name\":\"echo\"}");
    assertThat(started.status()).as(started.body()).isEqualTo(201);
    String run = started.json().get("id").asString();
    assertThat(started.header("Location")).endsWith("/processes/" + run);
    assertThat(server.post(processes + "/" + run + "/stdin", "hello\n").status()).isEqualTo(204);
    assertThat(server.get(processes + "/" + run).json().get("running").asBoolean()).isTrue();
    assertThat(server.post(processes + "/" + run + "/stdin?eof=true", "bye\n").status())
        .isEqualTo(204);
    Answer ended = server.get(processes + "/" + run + "/wait?timeoutSeconds=10");
    assertThat(ended.json().get("running").asBoolean()).as(ended.body()).isFalse();
    assertThat(ended.json().at("/end/exitCode").asInt()).isZero();
    assertThat(server.get(processes).json().get("items")).hasSize(1);
    assertThat(server.delete(processes + "/" + run).status()).isEqualTo(204);
    assertThat(server.get(processes + "/" + run).code()).isEqualTo("process_not_found");

    String sleeper =
        server.post(processes, "{\"argv\":[\"sleep\",\"60\"]}").json().get("id").asString();
    assertThat(
            server
                .get(processes + "/" + sleeper + "/wait?timeoutSeconds=0.1")
                .json()
                .get("running")
                .asBoolean())
        .isTrue();
    assertThat(server.post(processes + "/" + sleeper + "/signal", "{\"signal\":\"SIGKIL\"}").code())
        .isEqualTo("invalid_argument");
    assertThat(server.post(processes + "/" + sleeper + "/signal", "{\"signal\":\"KILL\"}").status())
        .isEqualTo(204);
    assertThat(server.get(processes + "/" + sleeper + "/wait").json().at("/end/signal").asString())
        .isEqualTo("SIGKILL");
  }

  @Test
  void filesGoInAndOut() throws Exception {
    String files = server.sandbox() + "/files";
    byte[] content = "0123456789".repeat(50_000).getBytes(StandardCharsets.UTF_8);
    Answer written = server.put(files + "?path=/tmp/a/b.txt&mode=0600", content);
    assertThat(written.status()).as(written.body()).isEqualTo(200);
    assertThat(written.json().get("size").asLong()).isEqualTo(content.length);
    assertThat(written.json().get("mode").asString()).isEqualTo("0600");
    assertThat(server.get(files + "?path=/tmp/a/b.txt").body().length()).isEqualTo(content.length);
    Answer part =
        server.send(server.request(files + "?path=/tmp/a/b.txt").header("Range", "bytes=12-15"));
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.body()).isEqualTo("2345");
    assertThat(part.header("Content-Range")).isEqualTo("bytes 12-15/500000");
    Answer head =
        server.send(
            server.request(files + "?path=/tmp/a/b.txt").method("HEAD", BodyPublishers.noBody()));
    assertThat(head.header("Content-Length")).isEqualTo("500000");
    assertThat(
            server
                .put(files + "?path=/tmp/a/b.txt&append=true", new byte[] {'!'})
                .json()
                .get("size")
                .asLong())
        .isEqualTo(500_001);
    assertThat(server.get(files + "/stat?path=/tmp/a").json().get("kind").asString())
        .isEqualTo("directory");
    assertThat(server.get(files + "/list?path=/tmp/a").json().get("entries")).hasSize(1);
    assertThat(server.get(files + "?path=/tmp/a").code()).isEqualTo("is_a_directory");
    assertThat(server.get(files + "?path=/tmp/none").code()).isEqualTo("file_not_found");
    assertThat(server.post(files + "/directory?path=/tmp/d", "").status()).isEqualTo(201);
    Answer moved = server.post(files + "/move", "{\"from\":\"/tmp/a/b.txt\",\"to\":\"/tmp/d/c\"}");
    assertThat(moved.json().get("path").asString()).as(moved.body()).isEqualTo("/tmp/d/c");
    assertThat(server.delete(files + "?path=/tmp/d").code()).isEqualTo("directory_not_empty");
    assertThat(server.delete(files + "?path=/tmp/d&recursive=true").status()).isEqualTo(204);
    assertThat(server.get(files + "/stat?path=/tmp/d").status()).isEqualTo(404);
  }

  @Test
  void projectsDoNotSeeEachOther() throws Exception {
    String sandbox = server.sandbox();
    Answer created = server.post("/v1/keys", "{\"name\":\"ci\"}");
    assertThat(created.status()).isEqualTo(201);
    assertThat(created.json().get("secret").asString()).matches("e2b_[0-9a-f]{40}");
    Answer listed = server.get("/v1/keys");
    assertThat(listed.json().get("items")).hasSize(2);
    assertThat(listed.body()).doesNotContain("secret");
    String secret = created.json().get("secret").asString();
    assertThat(as(secret, sandbox).status()).isEqualTo(200);
    Answer two = server.send(server.request(sandbox).header("X-API-Key", secret));
    assertThat(two.status()).as("which of two keys counts is nobody's guess").isEqualTo(401);
    assertThat(server.delete("/v1/keys/" + created.json().get("id").asString()).status())
        .isEqualTo(204);
    assertThat(as(secret, sandbox).status()).isEqualTo(401);
    String foreign =
        Objects.requireNonNull(server.server().engine().keys().create("other", "test").secret());
    Answer unknown = as(foreign, "/v1/sandboxes/sbx_none");
    Answer others = as(foreign, sandbox);
    assertThat(others.status()).isEqualTo(404);
    assertThat(others.code()).isEqualTo(unknown.code());
    assertThat(as(foreign, sandbox + "/files/list?path=/").code()).isEqualTo("sandbox_not_found");
    assertThat(as(foreign, "/v1/sandboxes?all=true").json().get("items")).isEmpty();
  }

  private Answer as(String secret, String path) throws Exception {
    return server.send(HttpRequest.newBuilder(server.url(path)).header("X-API-Key", secret));
  }

  @Test
  void templatesAreListedAndBuilt() throws Exception {
    assertThat(server.get("/v1/templates").json().at("/items/0/name").asString())
        .isEqualTo("python");
    assertThat(server.get("/v1/templates/none").code()).isEqualTo("template_not_found");
    assertThat(server.post("/v1/templates/none/build", "").status()).isEqualTo(404);
    Answer built = server.post("/v1/templates/python/build", "");
    JsonNode last = json(built.body().lines().toList().getLast());
    assertThat(last.get("type").asString()).as(built.body()).isEqualTo("ready");
    assertThat(last.at("/template/state").asString()).isEqualTo("ready");
    Answer info = server.get("/v1/server");
    assertThat(info.json().at("/drivers/0/name").asString()).isEqualTo("fake");
    assertThat(info.json().get("version").asString()).isEqualTo(Version.current());
    assertThat(info.json().at("/drivers/0/checks/0").asString()).isEqualTo("nothing to check");
    assertThat(server.get("/v1/server?fresh=true").json().at("/drivers/0/checks/0").asString())
        .isEqualTo("checked anew");
  }

  @Test
  void serverTellsOfItself() throws Exception {
    server.sandbox();
    assertThat(server.get("/healthz").body()).isEqualTo("ok");
    assertThat(server.get("/readyz").body()).isEqualTo("ok");
    assertThat(server.get("/").header("Location")).isEqualTo("/docs");
    assertThat(server.get("/metrics").body())
        .contains("atoll_sandboxes{state=\"running\"} 1.0")
        .contains("route=\"/v1/sandboxes\"")
        .containsPattern("atoll_pool_hits_total [0-9]")
        .containsPattern("atoll_pool_misses_total [0-9]")
        .containsPattern("atoll_pool_refills_total [0-9]")
        .containsPattern("atoll_pool_refill_seconds_total [0-9]")
        .containsPattern("atoll_pool_ready [0-9]")
        .containsPattern("atoll_pool_blanks [0-9]")
        .containsPattern("atoll_pool_forks [0-9]")
        .containsPattern("atoll_pool_oldest_seconds [0-9]");
  }

  @Test
  void sandboxesAndRunsOutliveTheServer() throws Exception {
    String sandbox = server.sandbox();
    server.post(sandbox + "/code", "{\"code\":\"x = 41\"}");
    String run =
        server
            .post(sandbox + "/processes", "{\"argv\":[\"cat\"],\"openStdin\":true}")
            .json()
            .get("id")
            .asString();
    String key = server.key();
    server.restart();
    assertThat(server.key()).isEqualTo(key);
    Answer answer = server.post(sandbox + "/code", "{\"code\":\"x + 1\"}");
    assertThat(answer.json().at("/result/text~1plain").asString())
        .as(answer.body())
        .isEqualTo("42");
    server.post(sandbox + "/processes/" + run + "/stdin?eof=true", "still here");
    assertThat(server.get(sandbox + "/runs/" + run + "/events").body()).contains("still here");
  }

  @Test
  void waitingCallsAreAnsweredWhenTheServerStops() throws Exception {
    String sandbox = server.sandbox();
    BufferedReader stream = open(sandbox + "/code", "{\"code\":\"sleep(600)\"}");
    assertThat(stream.readLine()).contains("started");
    CompletableFuture<Answer> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return server.post(sandbox + "/commands", "{\"argv\":[\"sleep\",\"600\"]}");
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    await().until(() -> server.get(sandbox + "/processes").body().contains("sleep"));
    long begun = System.nanoTime();
    server.restart();
    assertThat(Duration.ofNanos(System.nanoTime() - begun))
        .as("long before what is waited for")
        .isLessThan(Duration.ofMinutes(1));
    String line = stream.readLine();
    while (line != null) {
      assertThat(line).contains("ping");
      line = stream.readLine();
    }
    Answer answer = waiting.get(1, TimeUnit.MINUTES);
    assertThat(answer.status()).as(answer.body()).isEqualTo(503);
    assertThat(answer.code()).isEqualTo("shutting_down");
  }

  @Test
  void filesOfTheServerArePrivateAndGoWithIt() throws Exception {
    Path description = server.data().resolve("run/server.json");
    JsonNode json = json(Files.readString(description));
    assertThat(json.get("url").asString()).isEqualTo(server.url("").toString());
    assertThat(json.get("pid").asLong()).isEqualTo(ProcessHandle.current().pid());
    Path keyFile = Path.of(json.get("adminKeyFile").asString());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keyFile)))
        .isEqualTo("rw-------");
    assertThatThrownBy(() -> AtollServer.start(server.config(), List.of(new FakeDriver())))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("another Atoll server");
    server.server().close();
    assertThat(description).doesNotExist();
    server.restart();
  }

  private List<String> lines(String path, String body) throws Exception {
    try (BufferedReader reader = open(path, body)) {
      return reader.lines().toList();
    }
  }

  private BufferedReader open(String path, String body) throws Exception {
    return new BufferedReader(
        new InputStreamReader(
            server.stream(server.request(path).POST(BodyPublishers.ofString(body))).body(),
            StandardCharsets.UTF_8));
  }

  private static JsonNode json(String text) throws IOException {
    return Json.lenient().readTree(text);
  }
}
