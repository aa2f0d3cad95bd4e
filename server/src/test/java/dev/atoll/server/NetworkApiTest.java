package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import dev.atoll.server.EngineFixture.Answer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Policies and the record of connections over HTTP, down to a fake guest and back. */
@Timeout(60)
final class NetworkApiTest {
  @TempDir Path folder;
  private EngineFixture server = unset();

  @SuppressWarnings("NullAway")
  private static EngineFixture unset() {
    return null;
  }

  @BeforeEach
  void start() throws Exception {
    server =
        new EngineFixture(
            folder, "--network.reachable=127.0.0.1", "--network.ceiling-deny=never.test");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aSandboxSaysWhatItMayReach() throws Exception {
    Answer made =
        server.post(
            "/v1/sandboxes",
            """
            {"name":"box","network":{"mode":"allowlist","allow":["*.Example.com:443"]}}
            """);
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    assertThat(made.json().get("network"))
        .isEqualTo(json("{'mode':'allowlist','allow':['*.example.com:443'],'deny':[]}"));
    JsonNode info = server.get("/v1/sandboxes/box/network").json();
    assertThat(info.get("policy")).isEqualTo(made.json().get("network"));
    assertThat(info.get("openConnections").asInt()).isZero();
    assertThat(info.get("bytesToday").asLong()).isZero();
    assertThat(info.at("/ceiling/deny/0").asString()).isEqualTo("never.test");
    assertThat(server.get(server.sandbox()).json().at("/network/mode").asString())
        .isEqualTo("packages");
  }

  @Test
  void rulesComeAndGoOneByOne() throws Exception {
    String sandbox = server.sandbox();
    rule(sandbox, "allow", "a.test");
    rule(sandbox, "allow", "b.test:80");
    assertThat(rule(sandbox, "deny", "a.test"))
        .isEqualTo(json("{'mode':'packages','allow':['b.test:80'],'deny':['a.test']}"));
    assertThat(rule(sandbox, "allow", "a.test"))
        .isEqualTo(json("{'mode':'packages','allow':['b.test:80','a.test'],'deny':[]}"));
    assertThat(rule(sandbox, "remove", "b.test:80"))
        .isEqualTo(json("{'mode':'packages','allow':['a.test'],'deny':[]}"));
    assertThat(rule(sandbox, "remove", "never.there").get("allow")).hasSize(1);
    Answer replaced = put(sandbox + "/network", "{\"mode\":\"open\"}");
    assertThat(replaced.json().get("policy"))
        .isEqualTo(json("{'mode':'open','allow':[],'deny':[]}"));
    assertThat(server.get(sandbox).json().at("/network/mode").asString()).isEqualTo("open");
  }

  @Test
  void aPatchAndAClaimReplaceThePolicy() throws Exception {
    String sandbox = server.sandbox();
    Answer patched =
        server.send(
            server
                .request(sandbox)
                .method("PATCH", BodyPublishers.ofString("{\"network\":{\"mode\":\"none\"}}")));
    assertThat(patched.json().at("/network/mode").asString()).isEqualTo("none");
    server.post(
        "/v1/pools", "{\"name\":\"p\",\"warm\":0,\"max\":3,\"network\":{\"mode\":\"none\"}}");
    assertThat(server.post("/v1/pools/p/claim", "{}").json().at("/network/mode").asString())
        .isEqualTo("none");
    assertThat(
            server
                .post("/v1/pools/p/claim", "{\"network\":{\"mode\":\"open\"}}")
                .json()
                .at("/network/mode")
                .asString())
        .isEqualTo("open");
  }

  @Test
  void onlyAnAdministratorBoundsAProject() throws Exception {
    String path = "/v1/projects/red/network";
    JsonNode before = server.get(path).json();
    assertThat(before.get("own").asBoolean()).isFalse();
    assertThat(before.at("/ceiling/deny/0").asString()).isEqualTo("never.test");
    JsonNode set = put(path, "{\"mode\":\"allowlist\",\"allow\":[\"a.test\"]}").json();
    assertThat(set.get("own").asBoolean()).isTrue();
    assertThat(set.get("ceiling"))
        .isEqualTo(json("{'mode':'allowlist','allow':['a.test'],'deny':[]}"));

    Answer made = server.post("/v1/keys", "{\"name\":\"team\",\"project\":\"red\"}");
    String key = made.json().get("secret").asString();
    String sandbox = as(key, "/v1/sandboxes", "POST", "{}").json().get("id").asString();
    assertThat(as(key, "/v1/sandboxes/" + sandbox + "/network", "GET", "").json().get("ceiling"))
        .isEqualTo(set.get("ceiling"));
    assertThat(as(key, path, "GET", "").status()).isEqualTo(200);
    for (Answer refused :
        List.of(
            as(key, path, "PUT", "{\"mode\":\"open\"}"),
            as(key, path, "DELETE", ""),
            as(key, "/v1/projects/default/network", "GET", ""),
            as(key, "/v1/keys", "POST", "{\"name\":\"x\",\"project\":\"default\"}"))) {
      assertThat(refused.status()).as(refused.body()).isEqualTo(403);
      assertThat(refused.body()).contains("admin.key");
    }

    server.restart();
    assertThat(server.get(path).json()).isEqualTo(set);
    assertThat(server.delete(path).json()).isEqualTo(before);
  }

  @Test
  void aPoolSaysWhatItsSandboxesMayReach() throws Exception {
    String pools = "/v1/pools";
    server.post(pools, "{\"name\":\"p\",\"warm\":0,\"max\":3,\"network\":{\"mode\":\"none\"}}");
    server.post(pools, "{\"name\":\"q\",\"warm\":0,\"max\":3}");
    assertThat(server.get("/v1/pools/p").json().at("/network/mode").asString()).isEqualTo("none");
    assertThat(server.get("/v1/pools/q").json().at("/network/mode").asString())
        .isEqualTo("packages");
  }

  private Answer as(String key, String path, String method, String body) throws Exception {
    return server.send(
        HttpRequest.newBuilder(server.url(path))
            .header("X-API-Key", key)
            .method(method, BodyPublishers.ofString(body)));
  }

  @Test
  void whatIsAllowedIsReachedAndWhatIsNotIsRefusedAndBothAreOnRecord() throws Exception {
    try (EchoHost host = new EchoHost()) {
      String sandbox = server.sandbox();
      Answer refused = fetch(sandbox, host, "hello");
      assertThat(refused.json().get("exitCode").asInt()).isEqualTo(1);
      assertThat(refused.json().get("stderr").asString())
          .contains("atoll network allow " + id(sandbox) + " 127.0.0.1");
      rule(sandbox, "allow", "127.0.0.1");
      assertThat(fetch(sandbox, host, "hello").json().get("stdout").asString()).isEqualTo("hello");
      fetch(server.sandbox(), host, "other");

      JsonNode allowed = ended("?verdict=allowed");
      assertThat(items("?sandbox=" + id(sandbox))).hasSize(2);
      assertThat(allowed.get("rule").asString()).isEqualTo("allow 127.0.0.1");
      assertThat(allowed.get("bytesSent").asLong()).isEqualTo(5);
      assertThat(allowed.get("bytesReceived").asLong()).isEqualTo(5);
      assertThat(items("?verdict=refused")).hasSize(2);
      assertThat(items("?since=" + Instant.now().plusSeconds(60))).isEmpty();
      assertThat(items("?until=" + Instant.now().plusSeconds(60))).hasSize(3);
      JsonNode first = server.get("/v1/connections?limit=2").json();
      assertThat(first.get("items")).hasSize(2);
      assertThat(items("?limit=2&cursor=" + first.get("nextCursor").asString())).hasSize(1);
      assertThat(server.get(sandbox + "/network").json().get("bytesToday").asLong()).isEqualTo(10);
      assertThat(server.get("/metrics").body())
          .contains("atoll_network_connections_total{verdict=\"allowed\"} 1.0")
          .contains("atoll_network_connections_total{verdict=\"refused\"} 2.0")
          .contains("atoll_network_bytes_total{direction=\"sent\"} 5.0")
          .contains("atoll_network_bytes_total{direction=\"received\"} 5.0")
          .contains("atoll_network_unrecorded_total 0.0");
    }
  }

  @Test
  void connectionsAreFollowedByNameOfTheirSandbox() throws Exception {
    server.post("/v1/sandboxes", "{\"name\":\"box\"}");
    String other = server.sandbox();
    try (EchoHost host = new EchoHost();
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(
                    server.stream(
                            server.request(
                                "/v1/connections?follow=true&sandbox=box&verdict=refused"))
                        .body(),
                    StandardCharsets.UTF_8))) {
      assertThat(lines.readLine()).contains("\"following\"", "\"time\"");
      assertThat(lines.readLine()).isEqualTo("{\"type\":\"ping\"}");
      fetch(other, host, "unseen");
      fetch("/v1/sandboxes/box", host, "seen");
      JsonNode told = next(lines);
      while (told.get("type").asString().equals("ping")) {
        told = next(lines);
      }
      assertThat(told.get("type").asString()).isEqualTo("connection");
      assertThat(told.at("/connection/sandbox").asString())
          .isEqualTo(server.get("/v1/sandboxes/box").json().get("id").asString());
      assertThat(told.at("/connection/verdict").asString()).isEqualTo("refused");
    }
  }

  @Test
  void theStreamEndsWithTheServer() throws Exception {
    try (InputStream body = server.stream(server.request("/v1/connections?follow=true")).body()) {
      assertThat(body.read()).isEqualTo('{');
      server.restart();
      assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).endsWith("}\n");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "verdict=perhaps",
        "since=yesterday",
        "limit=0",
        "limit=201",
        "cursor=x!",
        "follow=true&limit=5",
        "follow=true&since=2026-11-15T09:30:00Z"
      })
  void listingsRefuseWhatTheyDoNotUnderstand(String query) throws Exception {
    Answer answer = server.get("/v1/connections?" + query);
    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"mode\":\"all\"} | invalid_argument",
        "{\"allow\":[\"10.0.0.0/33\"]} | invalid_argument",
        "{\"allow\":[\"a b\"]} | invalid_argument",
        "{\"permit\":[]} | unknown_field"
      })
  void badPoliciesAreExplained(String body, String code) throws Exception {
    String sandbox = server.sandbox();
    Answer answer = put(sandbox + "/network", body);
    assertThat(answer.code()).as(answer.body()).isEqualTo(code);
    assertThat(server.post("/v1/sandboxes", "{\"network\":" + body + "}").code()).isEqualTo(code);
    assertThat(server.get(sandbox).json().at("/network/mode").asString()).isEqualTo("packages");
  }

  @Test
  void aRuleMustBeGivenAndTheSandboxMustBeThere() throws Exception {
    assertThat(server.post(server.sandbox() + "/network/allow", "{}").code())
        .isEqualTo("invalid_argument");
    assertThat(server.get("/v1/sandboxes/nobody/network").code()).isEqualTo("sandbox_not_found");
    assertThat(server.get("/v1/connections?sandbox=nobody").code()).isEqualTo("sandbox_not_found");
    assertThat(items("?sandbox=sbx_gone")).isEmpty();
  }

  private JsonNode rule(String sandbox, String operation, String rule) throws Exception {
    Answer answer = server.post(sandbox + "/network/" + operation, "{\"rule\":\"" + rule + "\"}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json().get("policy");
  }

  private Answer fetch(String sandbox, EchoHost host, String text) throws Exception {
    return server.post(
        sandbox + "/commands", "{\"shell\":\"fetch 127.0.0.1 " + host.port() + " " + text + "\"}");
  }

  private Answer put(String path, String body) throws Exception {
    return server.put(path, body.getBytes(StandardCharsets.UTF_8));
  }

  private JsonNode items(String query) throws Exception {
    return server.get("/v1/connections" + query).json().get("items");
  }

  /** The newest one, once it has ended: a program may hear of the end before the record does. */
  private JsonNode ended(String query) throws Exception {
    JsonNode newest = items(query).get(0);
    while (!newest.has("durationMillis")) {
      Thread.sleep(10);
      newest = items(query).get(0);
    }
    return newest;
  }

  private static JsonNode next(BufferedReader lines) throws IOException {
    return Json.lenient().readTree(Objects.requireNonNull(lines.readLine()));
  }

  private static String id(String sandbox) {
    return sandbox.substring(sandbox.lastIndexOf('/') + 1);
  }

  private static JsonNode json(String text) {
    return Json.lenient().readTree(text.replace('\'', '"'));
  }
}
