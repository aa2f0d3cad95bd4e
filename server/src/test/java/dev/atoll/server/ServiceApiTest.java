package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.server.EngineFixture.Answer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Services over HTTP, on a fake host behind whose ports is a program of the test. */
@Timeout(60)
final class ServiceApiTest {
  @TempDir Path folder;
  private EngineFixture server = unset();
  private FakeProgram program = unsetProgram();

  @SuppressWarnings("NullAway")
  private static EngineFixture unset() {
    return null;
  }

  @SuppressWarnings("NullAway")
  private static FakeProgram unsetProgram() {
    return null;
  }

  @BeforeEach
  void start() throws Exception {
    server = new EngineFixture(folder);
    program = FakeProgram.answering(FakeProgram.HELLO);
  }

  @AfterEach
  void stop() {
    server.close();
    program.close();
  }

  private String spec(String more) {
    return "{\"name\":\"web\",\"start\":\"listen %d\",\"port\":%d%s}"
        .formatted(program.port(), program.port(), more);
  }

  /** The next request; a look at the program's health has none. */
  private String head() throws InterruptedException {
    String head = program.head();
    while (head.isEmpty()) {
      head = program.head();
    }
    return head;
  }

  private Answer anonymous(String path, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(server.url(path));
    return server.send(headers.length == 0 ? request : request.headers(headers));
  }

  @Test
  void aServiceIsMadeReachedChangedAndDeleted() throws Exception {
    Answer made = server.post("/v1/services", spec(""));
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    assertThat(made.header("Location")).isEqualTo("/v1/services/web");
    String id = made.json().get("id").asString();
    assertThat(made.json().get("url").asString())
        .isEqualTo(
            "http://%s.localhost:%d/".formatted(id.replace('_', '-'), server.url("").getPort()));
    assertThat(server.get("/services/web/page").body()).isEqualTo("hello");
    assertThat(head())
        .startsWith("GET /page HTTP/1.1")
        .contains("X-Forwarded-Prefix: /services/web");
    assertThat(server.post("/v1/services/web/rollback", "").code()).isEqualTo("conflict");
    assertThat(server.post("/v1/services", spec("")).status()).isEqualTo(200);
    Answer back = server.post("/v1/services/web/rollback", "");
    assertThat(back.json().get("revision").asInt()).isEqualTo(1);
    assertThat(back.json().get("previous").asInt()).isEqualTo(2);
    assertThat(server.get("/metrics").body())
        .contains("atoll_services 1.0", "atoll_services_requests_total 1.0");
    assertThat(server.get("/v1/services/web/revisions").json().at("/items/0/number").asInt())
        .isEqualTo(2);
    Answer changed =
        server.send(
            server
                .request("/v1/services/web")
                .method("PATCH", BodyPublishers.ofString("{\"max\":3}")));
    assertThat(changed.json().at("/scale/max").asInt()).isEqualTo(3);
    assertThat(server.get("/v1/services").json().at("/items/0/name").asString()).isEqualTo("web");
    assertThat(server.get("/v1/services/web/logs").body()).startsWith("{\"type\":\"following\"}");
    assertThat(server.post("/v1/services/web/stop", "").json().get("instances")).isEmpty();
    assertThat(server.delete("/v1/services/web").status()).isEqualTo(204);
    assertThat(server.get("/v1/services/web").code()).isEqualTo("service_not_found");
    assertThat(server.get("/services/web/").code()).isEqualTo("service_not_found");
  }

  @Test
  void aPrivateServiceNeedsAKeyOrATokenAndAPublicOneNothing() throws Exception {
    String id = server.post("/v1/services", spec("")).json().get("id").asString();
    assertThat(anonymous("/services/" + id + "/").status()).isEqualTo(401);
    Answer share = server.post("/v1/services/web/shares", "{}");
    String token = share.json().get("token").asString();
    assertThat(anonymous("/services/" + id + "/", "X-Atoll-Token", token).body())
        .isEqualTo("hello");
    assertThat(head()).doesNotContain(token);
    String shared = share.json().get("id").asString();
    assertThat(server.delete("/v1/services/web/shares/" + shared).status()).isEqualTo(204);
    assertThat(anonymous("/services/" + id + "/", "X-Atoll-Token", token).status()).isEqualTo(401);
    server.send(
        server
            .request("/v1/services/web")
            .method("PATCH", BodyPublishers.ofString("{\"access\":\"public\"}")));
    assertThat(anonymous("/services/" + id + "/").body()).isEqualTo("hello");
  }

  @Test
  void aDeploymentTellsHowItGoes() throws Exception {
    HttpRequest.Builder request =
        server.request("/v1/services").POST(BodyPublishers.ofString(spec("")));
    String events =
        new String(server.stream(request).body().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(events.lines())
        .contains("{\"type\":\"progress\",\"message\":\"starting the program\"}")
        .last()
        .asString()
        .startsWith("{\"type\":\"ready\",\"service\":{");
    String broken = "{\"name\":\"bad\",\"start\":\"echo why; exit 2\"}";
    request = server.request("/v1/services").POST(BodyPublishers.ofString(broken));
    events = new String(server.stream(request).body().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(events.lines())
        .last()
        .asString()
        .startsWith("{\"type\":\"failed\"")
        .contains("deploy_failed", "exit code 2", "why");
    assertThat(server.post("/v1/services", broken).status()).isEqualTo(422);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"name\":\"web\"}",
        "{\"name\":\"Web\",\"start\":\"x\"}",
        "{\"name\":\"web\",\"start\":\"x\",\"port\":0}",
        "{\"name\":\"web\",\"start\":\"x\",\"min\":2}",
        "{\"name\":\"web\",\"start\":\"x\",\"files\":{\"../x\":\"\"}}",
        "{\"name\":\"web\",\"start\":\"x\",\"archive\":\"?\"}",
        "{\"name\":\"web\",\"start\":\"x\",\"git\":{\"url\":\"-x\"}}",
        "{\"name\":\"web\",\"start\":\"x\",\"health\":{\"path\":\"no\"}}",
        "{\"name\":\"web\",\"start\":\"x\",\"template\":\"python\",\"snapshot\":\"s\"}"
      })
  void whatMakesNoSenseIsRefusedAndLeavesNothing(String body) throws Exception {
    Answer answer = server.post("/v1/services", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(server.get("/v1/services").json().get("items")).isEmpty();
    assertThat(server.get("/v1/sandboxes").json().get("items")).isEmpty();
  }
}
