package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import dev.atoll.server.EngineFixture.Answer;
import dev.atoll.server.TenantCaller.Reply;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What another project has beside the API: ports, services, streams, and what it shared. */
@Timeout(60)
final class TenantPortsTest {
  @TempDir static Path folder;
  private static EngineFixture server = unset();
  private static Tenant theirs = unset();
  private static Tenant own = unset();

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T unset() {
    return null;
  }

  @BeforeAll
  static void start() throws Exception {
    server = new EngineFixture(folder);
    theirs = new Tenant(server, "first");
    own = new Tenant(server, "second");
  }

  @AfterAll
  static void stop() {
    own.close();
    theirs.close();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost /v1/sandboxes/$sandbox/ports/$port/",
        "localhost /v1/sandboxes/$sandboxName/ports/$port/",
        "localhost /v1/sandboxes/$asleep/ports/$port/",
        "$port-$sandbox.localhost /",
        "localhost /services/$serviceId/",
        "localhost /services/$service/",
        "$serviceId.localhost /"
      })
  void portsAndServicesOfOthersAreNotReached(String address) throws Exception {
    for (String credentials :
        List.of(
            "X-API-Key: $own.key",
            "Authorization: Bearer $own.key",
            "X-API-Key: $own.key\r\nX-Atoll-Token: $own.token",
            "X-Atoll-Token: $own.token",
            "X-Atoll-Token: $own.serviceToken",
            "Cookie: atoll_port=$own.token\r\nSec-Fetch-Site: same-origin",
            "X-API-Key: $revokedKey",
            "Accept: */*")) {
      Reply found = get(address, credentials, theirs.things());
      assertThat(found.status()).as("%s with %s", found, credentials).isIn(401, 403, 404);
      assertThat(found.without(hosts(theirs.things())))
          .as(credentials)
          .isEqualTo(
              get(address, credentials, theirs.neverExisted())
                  .without(hosts(theirs.neverExisted())));
    }
    assertThat(state("asleep")).isEqualTo("hibernated");
  }

  private static String state(String sandbox) throws Exception {
    return as(theirs, "GET", "/v1/sandboxes/" + theirs.get(sandbox), "")
        .json()
        .get("state")
        .asString();
  }

  private static Reply get(String address, String credentials, Map<String, String> things)
      throws Exception {
    String[] parts = TenantCall.fill(address, things, own.things()).split(" ", 2);
    String headers = TenantCall.fill(credentials, theirs.things(), own.things());
    return new TenantCaller(server)
        .raw(
            "GET %s HTTP/1.1\r\nHost: %s:%d\r\n%s\r\nConnection: close\r\n\r\n"
                .formatted(
                    parts[1], parts[0].replace('_', '-'), server.url("").getPort(), headers));
  }

  /** As {@link Tenant#things}, with ids also as they are in names of hosts. */
  private static Map<String, String> hosts(Map<String, String> things) {
    Map<String, String> all = new TreeMap<>(things);
    things.forEach((kind, value) -> all.put(kind + "Host", value.replace('_', '-')));
    return all;
  }

  @Test
  void connectionsOfOthersAreNotFollowed() throws Exception {
    String sandbox = theirs.get("sandbox");
    for (String filter : List.of("", "&sandbox=" + sandbox)) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(server.url("/v1/connections?follow=true" + filter))
              .header("X-API-Key", own.get("key"));
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(server.stream(request).body(), StandardCharsets.UTF_8))) {
        assertThat(lines.readLine()).contains("following");
        connect(theirs);
        connect(own);
        JsonNode told = next(lines);
        for (int pings = 0; told.get("type").asString().equals("ping") && pings < 5; pings++) {
          told = next(lines);
        }
        assertThat(told.toString()).doesNotContain(sandbox);
        assertThat(told.at("/connection/sandbox").asString(""))
            .isEqualTo(filter.isEmpty() ? own.get("sandbox") : "");
      }
    }
  }

  private static void connect(Tenant tenant) throws Exception {
    String body = "{\"shell\":\"fetch 127.0.0.1 " + tenant.get("port") + " hello\"}";
    as(tenant, "POST", "/v1/sandboxes/" + tenant.get("sandbox") + "/commands", body);
  }

  private static JsonNode next(BufferedReader lines) throws Exception {
    return Json.lenient().readTree(Objects.requireNonNull(lines.readLine()));
  }

  @Test
  void aSharedTemplateIsUsedAndNotChanged() throws Exception {
    String template = "/v1/templates/" + theirs.get("shared");
    as(theirs, "PUT", template + "/shares/second", "");
    String before = as(theirs, "GET", template, "").body();
    String qualified = "{\"template\":\"first/" + theirs.get("shared") + "\"}";
    assertThat(as(own, "POST", "/v1/sandboxes", qualified).status()).isEqualTo(201);
    Answer seen = as(own, "GET", template + "?owner=first", "");
    assertThat(seen.status()).as(seen.body()).isEqualTo(200);
    assertThat(seen.body()).doesNotContain("recipe", theirs.get("tag"));
    String build = as(theirs, "GET", template + "/builds", "").json().at("/items/0/id").asString();
    for (String change :
        List.of(
            "DELETE ",
            "PUT /tags/stolen",
            "DELETE /tags/latest",
            "PUT /shares/third",
            "DELETE /shares/second",
            "DELETE /builds/" + build,
            "GET /builds/" + build + "/logs")) {
      String[] parts = change.split(" ", 2);
      Answer answer = as(own, parts[0], template + parts[1], "{\"version\":1}");
      assertThat(answer.status()).as("%s: %s", change, answer.body()).isIn(403, 404);
    }
    assertThat(as(own, "GET", template + "/builds", "").body()).doesNotContain(build);
    assertThat(as(theirs, "GET", template, "").body()).isEqualTo(before);
    as(theirs, "DELETE", template + "/shares/second", "");
    assertThat(as(own, "POST", "/v1/sandboxes", qualified).code()).isEqualTo("template_not_found");
  }

  private static Answer as(Tenant tenant, String method, String path, String body)
      throws Exception {
    return server.send(
        HttpRequest.newBuilder(server.url(path))
            .header("X-API-Key", tenant.get("key"))
            .method(method, BodyPublishers.ofString(body)));
  }
}
