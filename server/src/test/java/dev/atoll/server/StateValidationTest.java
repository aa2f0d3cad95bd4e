package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.server.EngineFixture.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the operations on state refuse, and how they say so. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class StateValidationTest {
  private EngineFixture server = unset();
  private String sandbox = "";

  @SuppressWarnings("NullAway")
  private static EngineFixture unset() {
    return null;
  }

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    server = new EngineFixture(folder);
    sandbox = server.sandbox();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"snapshots", "fork", "hibernate", "wake"})
  void unknownSandboxIsNotFoundEvenWithoutABody(String operation) throws Exception {
    Answer answer = server.post("/v1/sandboxes/none/" + operation, "");
    assertThat(answer.status()).as(answer.body()).isEqualTo(404);
    assertThat(answer.code()).isEqualTo("sandbox_not_found");
  }

  @Test
  void unknownThingsAreNotFound() throws Exception {
    assertThat(server.get("/v1/sandboxes/none/tree").code()).isEqualTo("sandbox_not_found");
    assertThat(server.get("/v1/snapshots/none").code()).isEqualTo("snapshot_not_found");
    assertThat(server.get("/v1/snapshots/none/export").code()).isEqualTo("snapshot_not_found");
    assertThat(server.delete("/v1/snapshots/none").code()).isEqualTo("snapshot_not_found");
    assertThat(server.get("/v1/pools/none").code()).isEqualTo("pool_not_found");
    assertThat(server.delete("/v1/pools/none").code()).isEqualTo("pool_not_found");
    assertThat(server.post("/v1/pools/none/claim", "").code()).isEqualTo("pool_not_found");
    assertThat(patch("/v1/pools/none", "{\"warm\":1}").code()).isEqualTo("pool_not_found");
    assertThat(server.post("/v1/spaces/none", "").code()).isEqualTo("sandbox_not_found");
    assertThat(server.post("/v1/spaces/none", "{}").code()).isEqualTo("sandbox_not_found");
    assertThat(server.get("/v1/snapshots?sandbox=none").code()).isEqualTo("sandbox_not_found");
  }

  @Test
  void snapshotMayBeNamedLikeAnOperation() throws Exception {
    assertThat(server.get("/v1/snapshots/import").code()).isEqualTo("snapshot_not_found");
    assertThat(server.get("/v1/snapshots/import/export").code()).isEqualTo("snapshot_not_found");
    assertThat(server.delete("/v1/snapshots/import").code()).isEqualTo("snapshot_not_found");
  }

  @ParameterizedTest
  @ValueSource(strings = {"merge", "rewind"})
  void someOperationsNeedABody(String operation) throws Exception {
    Answer answer = server.post(sandbox + "/" + operation, "");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.code()).isEqualTo("bad_request");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "snapshots | {'nam':'a'}                  | unknown_field    | nam",
        "snapshots | {'name':'snp_a'}             | invalid_argument | name",
        "snapshots | {'kind':'disk'}              | invalid_argument | kind",
        "snapshots | {'labels':{'':'x'}}          | invalid_argument | labels",
        "fork      | {'n':2}                      | unknown_field    | n",
        "fork      | {'count':0}                  | invalid_argument | count",
        "fork      | {'count':33}                 | invalid_argument | count",
        "fork      | {'count':1.5}                | bad_request      | count",
        "merge     | {}                           | invalid_argument | winner",
        "merge     | {'winner':''}                | invalid_argument | winner",
        "merge     | {'winner':'a','keep':true}   | unknown_field    | keep",
        "rewind    | {}                           | invalid_argument | to",
        "rewind    | {'to':'a','steps':1}         | invalid_argument | to",
        "rewind    | {'steps':-1}                 | invalid_argument | steps",
        "rewind    | {'step':1}                   | unknown_field    | step",
      })
  void badBodiesAreRefused(String operation, String body, String code, String field)
      throws Exception {
    refuses(server.post(sandbox + "/" + operation, json(body)), code, field);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'warm':1,'max':2,'size':3}                           | unknown_field    | size",
        "{'warm':3,'max':2}                                    | invalid_argument | warm",
        "{'warm':-1,'max':2}                                   | invalid_argument | warm",
        "{'warm':0,'max':0}                                    | invalid_argument | max",
        "{'warm':1}                                            | invalid_argument | max",
        "{'warm':1,'max':2,'name':'pool_x'}                    | invalid_argument | name",
        "{'warm':1,'max':2,'template':'a','snapshot':'b'}      | invalid_argument | snapshot",
        "{'warm':1,'max':2,'memoryMiB':1}                      | invalid_argument | memoryMiB",
      })
  void badPoolsAreRefused(String body, String code, String field) throws Exception {
    refuses(server.post("/v1/pools", json(body)), code, field);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'onIdle':'sleep'}                       | invalid_argument | onIdle",
        "{'checkpoints':{'keep':0}}               | invalid_argument | checkpoints.keep",
        "{'checkpoints':{'everyRun':true,'k':1}}  | unknown_field    | checkpoints.k",
        "{'forkAhead':33}                         | invalid_argument | forkAhead",
        "{'forkAhead':-1}                         | invalid_argument | forkAhead",
      })
  void badSandboxSettingsAreRefused(String body, String code, String field) throws Exception {
    refuses(server.post("/v1/sandboxes", json(body)), code, field);
    refuses(patch(sandbox, json(body)), code, field);
    Answer space = server.post("/v1/spaces/x", json("{'create':" + body + "}"));
    assertThat(space.code()).as(space.body()).isEqualTo(code);
    assertThat(space.json().at("/details/field").asString()).endsWith(field);
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/diff, from",
    "/v1/diff?from=a, to",
    "/v1/diff?from=&to=b, from",
    "/v1/diff?from=a&to=b%2Fc, to",
    "/v1/diff?from=a&to=b&x=1, x",
    "/v1/snapshots?limit=0, limit",
    "/v1/snapshots?kind=disk, kind",
    "/v1/snapshots?automatic=2, automatic",
    "/v1/snapshots?sandbox=a%20b, sandbox",
    "/v1/pools?limit=1, limit",
  })
  void badQueriesAreRefused(String path, String field) throws Exception {
    Answer answer = server.get(path);
    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.json().at("/details/field").asString()).isEqualTo(field);
  }

  @Test
  void diffNamesTheOneThatIsMissing() throws Exception {
    String id = sandbox.substring(sandbox.lastIndexOf('/') + 1);
    assertThat(server.get("/v1/diff?from=none&to=" + id).status()).isEqualTo(404);
    assertThat(server.get("/v1/diff?from=" + id + "&to=none").status()).isEqualTo(404);
  }

  @Test
  void projectWithoutAnythingHasEmptyListings() throws Exception {
    assertThat(server.get("/v1/snapshots").body()).isEqualTo("{\"items\":[]}");
    assertThat(server.get("/v1/snapshots?automatic=true&kind=files&labels.a=b").status())
        .isEqualTo(200);
    assertThat(server.get("/v1/pools").json().get("items").isArray()).isTrue();
  }

  @Test
  void whatIsNoArchiveIsNotImported() throws Exception {
    Answer answer = server.post("/v1/snapshots/import?name=x", "no archive");
    assertThat(answer.status()).as(answer.body()).isBetween(400, 409);
    assertThat(server.get("/v1/snapshots/x").code()).isEqualTo("snapshot_not_found");
  }

  private static void refuses(Answer answer, String code, String field) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.code()).as(answer.body()).isEqualTo(code);
    assertThat(answer.json().at("/details/field").asString()).isEqualTo(field);
  }

  private Answer patch(String path, String body) throws Exception {
    return server.send(server.request(path).method("PATCH", BodyPublishers.ofString(body)));
  }

  private static String json(String quoted) {
    return quoted.replace('\'', '"');
  }
}
