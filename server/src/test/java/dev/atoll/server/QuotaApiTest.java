package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.server.EngineFixture.Answer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Quotas over HTTP: who sees them, who sets them, and how they refuse. */
@Timeout(60)
final class QuotaApiTest {
  private static final String QUOTA = "/v1/projects/red/quota";

  @TempDir Path folder;
  private EngineFixture server = unset();
  private String key = "";

  @SuppressWarnings("NullAway")
  private static EngineFixture unset() {
    return null;
  }

  @BeforeEach
  void start() throws Exception {
    server = new EngineFixture(folder, "--quota.services=5", "--pool.default-warm=0");
    key =
        server
            .post("/v1/keys", "{\"name\":\"team\",\"project\":\"red\"}")
            .json()
            .get("secret")
            .asString();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Answer set(String limits) throws Exception {
    return server.send(server.request(QUOTA).PUT(BodyPublishers.ofString(limits)));
  }

  private Answer as(String method, String path, String body) throws Exception {
    return server.send(
        HttpRequest.newBuilder(server.url(path))
            .header("X-API-Key", key)
            .method(method, BodyPublishers.ofString(body)));
  }

  private static JsonNode quota(JsonNode info, String name) {
    return info.get("quotas")
        .valueStream()
        .filter(quota -> quota.get("name").asString().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aKeySeesItsOwnProjectAndAdministratorsSetThemAll() throws Exception {
    JsonNode before = as("GET", "/v1/quota", "").json();
    assertThat(before.get("project").asString()).isEqualTo("red");
    assertThat(quota(before, "services").get("limit").asDouble()).isEqualTo(5);
    assertThat(quota(before, "services").get("own").asBoolean()).isFalse();
    assertThat(quota(before, "memory").has("limit")).isFalse();

    JsonNode set = set("{\"sandboxes\":2,\"services\":-1,\"cpus\":2.5}").json();
    assertThat(quota(set, "sandboxes").get("limit").asDouble()).isEqualTo(2);
    assertThat(quota(set, "services").has("limit")).isFalse();
    assertThat(as("GET", "/v1/quota", "").json()).isEqualTo(set);
    assertThat(as("GET", QUOTA, "").json()).isEqualTo(set);
    assertThat(server.get("/v1/quotas").json().get("items").valueStream().toList()).contains(set);

    server.restart();
    assertThat(server.get(QUOTA).json()).isEqualTo(set);
    assertThat(server.delete(QUOTA).json()).isEqualTo(before);
  }

  @Test
  void onlyAdministratorsChangeThemOrSeeThoseOfOthers() throws Exception {
    for (Answer refused :
        List.of(
            as("PUT", QUOTA, "{\"sandboxes\":9}"),
            as("DELETE", QUOTA, ""),
            as("GET", "/v1/quotas", ""),
            as("GET", "/v1/projects/default/quota", ""))) {
      assertThat(refused.status()).as(refused.body()).isEqualTo(403);
    }
  }

  @Test
  void whatMakesNoSenseIsRefused() throws Exception {
    for (String limits :
        List.of(
            "{\"sandboxes\":-2}", "{\"cpus\":-0.5}", "{\"boxes\":1}", "{\"memoryMiB\":\"1\"}")) {
      assertThat(set(limits).status()).as(limits).isEqualTo(400);
    }
  }

  @Test
  void aRefusalSaysWhatUsesTheQuotaUp() throws Exception {
    set("{\"sandboxes\":1}");
    assertThat(as("POST", "/v1/sandboxes", "{\"name\":\"web\"}").status()).isEqualTo(201);
    Answer refused = as("POST", "/v1/sandboxes", "{}");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.code()).isEqualTo("quota_exceeded");
    assertThat(refused.header("Retry-After")).isNotEmpty();
    JsonNode details = refused.json().get("details");
    assertThat(details.get("quota").asString()).isEqualTo("sandboxes");
    assertThat(details.get("limit").asDouble()).isEqualTo(1);
    assertThat(details.at("/users/0/name").asString()).isEqualTo("web");
    assertThat(refused.body()).contains("sandbox web", "atoll quota set red --sandboxes N");
    assertThat(server.post("/v1/sandboxes", "{}").status()).isEqualTo(201);
  }

  @Test
  void requestsBeyondTheRateComeTooOftenButNotThoseOfAdministrators() throws Exception {
    set("{\"requestsPerSecond\":0.01}");
    assertThat(as("GET", "/v1/sandboxes", "").status()).isEqualTo(200);
    Answer refused = as("GET", "/v1/sandboxes", "");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(60, 100);
    assertThat(refused.json().at("/details/quota").asString()).isEqualTo("requests-per-second");
    assertThat(as("GET", "/healthz", "").status()).isEqualTo(200);
    assertThat(as("GET", "/readyz", "").status()).isEqualTo(200);
    String path = "/v1/projects/default/quota";
    server.send(server.request(path).PUT(BodyPublishers.ofString("{\"requestsPerSecond\":0}")));
    assertThat(server.get(path).status()).isEqualTo(200);
    assertThat(server.get("/v1/quotas").status()).isEqualTo(200);
  }

  @Test
  void metricsTellOfRefusalsAndOfProjectsWithLimitsOfTheirOwn() throws Exception {
    assertThat(server.get("/metrics").body()).doesNotContain("project=\"red\"");
    set("{\"sandboxes\":0}");
    assertThat(as("POST", "/v1/sandboxes", "{}").status()).isEqualTo(429);
    assertThat(server.get("/metrics").body())
        .contains("atoll_quota_refusals_total{quota=\"sandboxes\"} 1.0")
        .contains("atoll_quota_limit{project=\"red\",quota=\"sandboxes\"} 0.0")
        .contains("atoll_quota_used{project=\"red\",quota=\"sandboxes\"} 0.0");
    server.delete(QUOTA);
    assertThat(server.get("/metrics").body()).doesNotContain("project=\"red\"");
  }
}
