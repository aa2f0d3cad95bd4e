package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import dev.atoll.server.EngineFixture.Answer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Templates of projects through the API; their machines are objects in this process. */
class TemplateApiTest {
  private static final String RECIPE =
      """
      name: tools
      description: for tests
      base: {template: python}
      env: {GREETING: %s}
      files: [{path: /etc/greeting, content: hello}]
      """;

  @TempDir Path folder;
  private EngineFixture server;

  @BeforeEach
  void start() throws Exception {
    server = new EngineFixture(folder);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Answer build(String recipe) throws Exception {
    return server.send(
        server
            .request("/v1/templates")
            .header("Content-Type", "application/yaml")
            .POST(BodyPublishers.ofString(recipe)));
  }

  private static JsonNode last(Answer answer) {
    List<String> lines = answer.body().lines().toList();
    return Json.lenient().readTree(lines.getLast());
  }

  private int build(int number) throws Exception {
    Answer answer = build(RECIPE.formatted("g" + number));
    assertThat(last(answer).get("type").asString()).as(answer.body()).isEqualTo("ready");
    return last(answer).at("/template/version").asInt();
  }

  private Answer put(String path, String body) throws Exception {
    return server.send(
        server
            .request(path)
            .header("Content-Type", "application/json")
            .PUT(BodyPublishers.ofString(body)));
  }

  private String greeting(String template) throws Exception {
    Answer made = server.post("/v1/sandboxes", "{\"template\":\"" + template + "\"}");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    String path = "/v1/sandboxes/" + made.json().get("id").asString();
    String digest = made.json().get("templateDigest").asString();
    server.delete(path);
    return digest;
  }

  @Test
  void aRecipeBecomesATemplateThatSandboxesAreMadeFrom() throws Exception {
    Answer answer = build(RECIPE.formatted("hello"));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body().lines().findFirst().orElse("")).contains("\"started\"");
    JsonNode template = last(answer).get("template");
    assertThat(template.get("version").asInt()).isEqualTo(1);
    assertThat(template.get("description").asString()).isEqualTo("for tests");
    assertThat(template.get("recipe").asString()).isEqualTo(RECIPE.formatted("hello"));
    assertThat(greeting("tools")).isEqualTo(template.get("digest").asString());
    JsonNode listed = server.get("/v1/templates").json().get("items");
    assertThat(listed.findValuesAsString("name")).contains("python", "tools");
    String digest = template.get("digest").asString();
    Path root = server.data().resolve("templates").resolve(digest).resolve("rootfs");
    assertThat(root.resolve("etc/greeting")).hasContent("hello");
    assertThat(root.resolve("etc/atoll/agent.conf")).content().contains("kernel.python=");
  }

  @Test
  void versionsTagsAndDeletion() throws Exception {
    assertThat(build(1)).isEqualTo(1);
    assertThat(build(1)).as("the same again").isEqualTo(1);
    assertThat(build(2)).isEqualTo(2);
    assertThat(greeting("tools@1")).isNotEqualTo(greeting("tools"));
    assertThat(put("/v1/templates/tools/tags/stable", "{\"version\":1}").status()).isEqualTo(200);
    assertThat(greeting("tools:stable")).isEqualTo(greeting("tools@1"));
    assertThat(greeting("tools:latest")).isEqualTo(greeting("tools@2"));
    JsonNode versions = server.get("/v1/templates/tools?tag=stable").json().get("versions");
    assertThat(versions.findValuesAsString("version")).containsExactly("2", "1");
    assertThat(put("/v1/templates/tools/tags/stable", "{\"version\":9}").code())
        .isEqualTo("template_not_found");
    assertThat(put("/v1/templates/tools/tags/latest", "{\"version\":1}").code())
        .isEqualTo("invalid_argument");
    assertThat(server.post("/v1/sandboxes", "{\"template\":\"tools:nope\"}").code())
        .isEqualTo("template_not_found");
    assertThat(server.delete("/v1/templates/tools?version=1").status()).isEqualTo(204);
    assertThat(server.post("/v1/sandboxes", "{\"template\":\"tools:stable\"}").code())
        .isEqualTo("template_not_found");
    assertThat(build(3)).isEqualTo(3);
    assertThat(server.delete("/v1/templates/tools").status()).isEqualTo(204);
    assertThat(server.get("/v1/templates/tools").code()).isEqualTo("template_not_found");
  }

  @Test
  void aTemplateInUseIsNotDeleted() throws Exception {
    build(1);
    String sandbox =
        server.post("/v1/sandboxes", "{\"template\":\"tools\"}").json().get("id").asString();
    Answer refused = server.delete("/v1/templates/tools");
    assertThat(refused.code()).isEqualTo("conflict");
    assertThat(refused.body()).contains(sandbox);
    server.delete("/v1/sandboxes/" + sandbox);
    assertThat(server.delete("/v1/templates/tools").status()).isEqualTo(204);
    assertThat(templates()).noneMatch(name -> name.startsWith(".building"));
  }

  private List<String> templates() throws Exception {
    try (Stream<Path> entries = Files.list(server.data().resolve("templates"))) {
      return entries.map(entry -> entry.getFileName().toString()).toList();
    }
  }

  @Test
  void deletionRemovesTheFiles() throws Exception {
    List<String> before = templates();
    build(1);
    assertThat(templates()).hasSizeGreaterThan(before.size());
    assertThat(server.delete("/v1/templates/tools").status()).isEqualTo(204);
    assertThat(templates()).containsExactlyInAnyOrderElementsOf(before);
  }

  @Test
  void oneThatComesWithTheServerShowsItsSizeIsRemovedAndBuiltAgain() throws Exception {
    server.close();
    // A pool that is being filled would have it built again at once.
    server = new EngineFixture(folder.resolve("cold"), "--pool.default-warm=0");
    String sandbox = server.post("/v1/sandboxes", "{}").json().get("id").asString();
    assertThat(server.get("/v1/templates/python").json().get("sizeBytes").asLong()).isPositive();
    Answer used = server.delete("/v1/templates/python");
    assertThat(used.code()).isEqualTo("conflict");
    assertThat(used.body()).contains(sandbox);
    server.delete("/v1/sandboxes/" + sandbox);
    assertThat(server.delete("/v1/templates/python").status()).isEqualTo(204);
    JsonNode gone = server.get("/v1/templates/python").json();
    assertThat(gone.get("state").asString()).isEqualTo("absent");
    assertThat(gone.has("sizeBytes")).isFalse();
    assertThat(templates()).doesNotContain(gone.get("digest").asString());
    // The part of the next build that needs a package registry.
    Files.createDirectories(
        server
            .data()
            .resolve("templates")
            .resolve(gone.get("digest").asString())
            .resolve("rootfs"));
    assertThat(server.post("/v1/sandboxes", "{}").status()).isEqualTo(201);
    assertThat(server.get("/v1/templates/python").json().get("state").asString())
        .isEqualTo("ready");
  }

  @Test
  void onlyAnAdministratorRemovesWhatComesWithTheServer() throws Exception {
    String other =
        server
            .post("/v1/keys", "{\"name\":\"o\",\"project\":\"other\"}")
            .json()
            .get("secret")
            .asString();
    Answer refused =
        server.send(
            HttpRequest.newBuilder(server.url("/v1/templates/python"))
                .header("X-API-Key", other)
                .DELETE());
    assertThat(refused.code()).isEqualTo("forbidden");
    assertThat(refused.body()).contains("only an administrator");
  }

  @Test
  void anotherProjectSeesWhatIsSharedWithIt() throws Exception {
    build(1);
    String other =
        server
            .post("/v1/keys", "{\"name\":\"o\",\"project\":\"other\"}")
            .json()
            .get("secret")
            .asString();
    assertThat(as(other, "/v1/templates/tools").code()).isEqualTo("template_not_found");
    assertThat(create(other, "tools").code()).isEqualTo("template_not_found");
    String owner = server.get("/v1/templates/tools").json().get("owner").asString();
    assertThat(put("/v1/templates/tools/shares/other", "").status()).isEqualTo(200);
    assertThat(as(other, "/v1/templates/tools").code()).isEqualTo("template_not_found");
    JsonNode seen = as(other, "/v1/templates/tools?owner=" + owner).json();
    assertThat(seen.get("owner").asString()).isEqualTo(owner);
    assertThat(seen.get("name").asString()).isEqualTo(owner + "/tools");
    assertThat(seen.has("recipe")).isFalse();
    assertThat(as(other, "/v1/templates").json().get("items").findValuesAsString("name"))
        .contains("python", owner + "/tools")
        .doesNotContain("tools");
    assertThat(create(other, "tools").code()).isEqualTo("template_not_found");
    Answer made = create(other, owner + "/tools");
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    assertThat(made.json().get("template").asString()).isEqualTo(owner + "/tools");
    assertThat(
            server
                .send(
                    HttpRequest.newBuilder(server.url("/v1/templates/tools"))
                        .header("X-API-Key", other)
                        .DELETE())
                .code())
        .isEqualTo("template_not_found");
    assertThat(server.delete("/v1/templates/tools/shares/other").status()).isEqualTo(204);
    assertThat(create(other, owner + "/tools").code()).isEqualTo("template_not_found");
  }

  @Test
  void aTemplateThatIsSharedNeverTakesANameOfAnotherProject() throws Exception {
    String other = keyOf("other");
    // One that the other project has of its own, one for a language, one that nobody has.
    assertThat(last(buildAs(other, named("tools"))).get("type").asString()).isEqualTo("ready");
    for (String name : List.of("tools", "cobol", "unused")) {
      String recipe = named(name) + "languages: {cobol: {file: a.cob, run: cobc a.cob}}\n";
      assertThat(last(build(recipe)).get("type").asString()).as(name).isEqualTo("ready");
      put("/v1/templates/" + name + "/shares/other", "");
    }
    assertThat(create(other, "tools").json().get("template").asString()).isEqualTo("tools");
    assertThat(create(other, "unused").code()).isEqualTo("template_not_found");
    Answer program =
        server.send(
            HttpRequest.newBuilder(server.url("/v1/execute"))
                .header("X-API-Key", other)
                .POST(BodyPublishers.ofString("{\"language\":\"cobol\",\"code\":\"x\"}")));
    assertThat(program.code()).isEqualTo("unsupported_language");
  }

  @Test
  void whoDeletesASharedTemplateLearnsNothingOfThoseWhoUseIt() throws Exception {
    build(1);
    String other = keyOf("other");
    String owner = server.get("/v1/templates/tools").json().get("owner").asString();
    put("/v1/templates/tools/shares/other", "");
    List<String> foreign =
        List.of(
            create(other, owner + "/tools").json().get("id").asString(),
            create(other, owner + "/tools").json().get("id").asString());
    Answer pool =
        server.send(
            HttpRequest.newBuilder(server.url("/v1/pools"))
                .header("X-API-Key", other)
                .POST(
                    BodyPublishers.ofString(
                        "{\"name\":\"theirs\",\"max\":1,\"template\":\"" + owner + "/tools\"}")));
    assertThat(pool.status()).as(pool.body()).isEqualTo(201);
    Answer byPool = server.delete("/v1/templates/tools");
    assertThat(byPool.code()).isEqualTo("conflict");
    assertThat(byPool.body()).doesNotContain("theirs").doesNotContain("pool_");
    server.send(
        HttpRequest.newBuilder(server.url("/v1/pools/theirs")).header("X-API-Key", other).DELETE());
    Answer bySandbox = server.delete("/v1/templates/tools");
    assertThat(bySandbox.code()).isEqualTo("conflict");
    assertThat(bySandbox.body()).doesNotContain("sbx_").doesNotContain("2 ");
    String own =
        server.post("/v1/sandboxes", "{\"template\":\"tools\"}").json().get("id").asString();
    Answer byOwn = server.delete("/v1/templates/tools");
    assertThat(byOwn.body()).contains(own).doesNotContain("more");
    foreign.forEach(id -> assertThat(byOwn.body()).doesNotContain(id));
  }

  private static String named(String name) {
    return "name: " + name + "\nbase: {template: python}\n";
  }

  private String keyOf(String project) throws Exception {
    return server
        .post("/v1/keys", "{\"name\":\"o\",\"project\":\"" + project + "\"}")
        .json()
        .get("secret")
        .asString();
  }

  private Answer buildAs(String key, String recipe) throws Exception {
    return server.send(
        HttpRequest.newBuilder(server.url("/v1/templates"))
            .header("X-API-Key", key)
            .header("Content-Type", "application/yaml")
            .POST(BodyPublishers.ofString(recipe)));
  }

  private Answer as(String key, String path) throws Exception {
    return server.send(HttpRequest.newBuilder(server.url(path)).header("X-API-Key", key));
  }

  private Answer create(String key, String template) throws Exception {
    return server.send(
        HttpRequest.newBuilder(server.url("/v1/sandboxes"))
            .header("X-API-Key", key)
            .POST(BodyPublishers.ofString("{\"template\":\"" + template + "\"}")));
  }

  @Test
  void aMalformedRecipeIsAnsweredWithWhatIsWrong() throws Exception {
    Answer answer = build("name: tools\nbase: {template: python}\nsetpu: [x]\n");
    assertThat(answer.code()).isEqualTo("invalid_argument");
    assertThat(answer.body()).contains("line 3").contains("setup");
    assertThat(build("").code()).isEqualTo("bad_request");
    assertThat(build("{name: python, base: {debian: trixie}}").code()).isEqualTo("name_taken");
    assertThat(build("{name: x, base: {template: nothing}}").code())
        .isEqualTo("template_not_found");
    assertThat(server.get("/v1/templates").json().get("items")).hasSize(1);
  }

  @Test
  void buildsAreListedAndTheirLogsKept() throws Exception {
    build(1);
    JsonNode builds = server.get("/v1/templates/tools/builds").json().get("items");
    assertThat(builds).hasSize(1);
    assertThat(builds.get(0).get("state").asString()).isEqualTo("done");
    String path = "/v1/templates/tools/builds/" + builds.get(0).get("id").asString();
    server.restart();
    Answer log = server.get(path + "/logs");
    assertThat(log.body().lines().findFirst().orElse("")).contains("\"started\"");
    assertThat(last(log).get("type").asString()).isEqualTo("ready");
    assertThat(server.delete(path).status()).isEqualTo(204);
    assertThat(server.get("/v1/templates/tools/builds/bld_none/logs").code())
        .isEqualTo("not_found");
    assertThat(greeting("tools")).isNotEmpty();
  }

  @Test
  void whatComesWithTheServerIsNotForProjectsToChange() throws Exception {
    assertThat(put("/v1/templates/python/tags/x", "{\"version\":1}").code()).isEqualTo("forbidden");
    assertThat(server.post("/v1/sandboxes", "{\"template\":\"python@1\"}").code())
        .isEqualTo("template_not_found");
  }
}
