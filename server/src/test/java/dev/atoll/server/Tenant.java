package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import dev.atoll.server.EngineFixture.Answer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** A project that has something of every kind, with the ids and names of all of it. */
final class Tenant implements AutoCloseable {
  private static final String INITIALIZE =
      """
      {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
       "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}
      """;
  private static final String RUN =
      """
      {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "run_code",
       "arguments": {"code": "1"}}}
      """;

  private static final List<String> NAMED =
      List.of(
          "sandboxName",
          "context",
          "process",
          "snapshotName",
          "poolName",
          "service",
          "secret",
          "template",
          "shared",
          "tag",
          "once",
          "space",
          "same",
          "again");

  private final EngineFixture server;
  private final FakeProgram program = FakeProgram.answering(FakeProgram.HELLO);
  private final Map<String, String> things = new TreeMap<>();

  Tenant(EngineFixture server, String project) throws Exception {
    this.server = server;
    things.put("project", project);
    things.put("key", key(server, project));
    for (String kind : NAMED) {
      things.put(kind, project + "-" + kind.toLowerCase(Locale.ROOT));
    }
    things.put("file", "/tmp/" + project + "-file");
    things.put("port", Integer.toString(program.port()));
    fill();
  }

  private static String key(EngineFixture server, String project) {
    return Objects.requireNonNull(server.server().engine().keys().create(project, "main").secret());
  }

  /** What it has, by the names that the matrix uses. */
  Map<String, String> things() {
    return things;
  }

  String get(String thing) {
    return Objects.requireNonNull(things.get(thing), thing);
  }

  /** Names and ids of the same shape that nobody ever had. */
  Map<String, String> neverExisted() {
    Map<String, String> never = new TreeMap<>();
    things.forEach((kind, value) -> never.put(kind, other(kind, value)));
    return never;
  }

  private String other(String kind, String value) {
    if (value.contains(get("project"))) {
      return value.replace(get("project"), "never");
    }
    if (kind.endsWith("Cursor") || kind.endsWith("Expires") || kind.equals("port")) {
      return value;
    }
    int prefix = value.indexOf('_') + 1;
    return value.substring(0, prefix) + new StringBuilder(value.substring(prefix)).reverse();
  }

  private void fill() throws Exception {
    secrets();
    sandboxes();
    insideTheSandbox();
    states();
    templates();
    services();
    keys();
    session();
    things.put("sandboxCursor", text(call("GET", "/v1/sandboxes?limit=1", ""), "nextCursor"));
    things.put("snapshotCursor", text(call("GET", "/v1/snapshots?limit=1", ""), "nextCursor"));
    things.put("connectionCursor", text(call("GET", "/v1/connections?limit=1", ""), "nextCursor"));
  }

  private void secrets() throws Exception {
    for (String name : new String[] {get("secret"), get("same"), get("again")}) {
      make(
          "/v1/secrets",
          Map.of(
              "name",
              name,
              "value",
              "value-of-" + get("project"),
              "domains",
              new String[] {"a.test"}));
    }
  }

  private void sandboxes() throws Exception {
    Answer made =
        make(
            "/v1/sandboxes",
            Map.of(
                "name", get("sandboxName"),
                "metadata", Map.of("of", get("project")),
                "env", Map.of("OWNER", "environment-of-" + get("project")),
                "secrets", new String[] {get("secret")}));
    things.put("sandbox", text(made, "id"));
    things.put("asleep", id("/v1/sandboxes", Map.of("name", get("project") + "-asleep")));
    call("POST", "/v1/sandboxes/" + get("asleep") + "/hibernate", "");
    things.put("gone", id("/v1/sandboxes", Map.of("name", get("project") + "-gone")));
    call("DELETE", "/v1/sandboxes/" + get("gone"), "");
    make("/v1/sandboxes", Map.of("name", get("same")));
    make("/v1/spaces/" + get("space"), Map.of("create", Map.of("persistent", true)));
    send("POST", "/v1/sandboxes", "{}", "Idempotency-Key", get("once"));
  }

  private void insideTheSandbox() throws Exception {
    String sandbox = "/v1/sandboxes/" + get("sandbox");
    things.put("ended", text(make(sandbox + "/code", Map.of("code", "x = 1")), "id"));
    make(sandbox + "/contexts", Map.of("name", get("context")));
    String[] cat = {"cat"};
    things.put(
        "run",
        id(sandbox + "/processes", Map.of("argv", cat, "openStdin", true, "name", get("process"))));
    things.put(
        "terminal",
        id(sandbox + "/processes", Map.of("argv", cat, "pty", Map.of("rows", 9, "columns", 9))));
    call("PUT", sandbox + "/files?path=" + get("file"), "content-of-" + get("project"));
    url("url", Map.of("method", "GET", "path", get("file")));
    url("upload", Map.of("method", "PUT", "path", get("file"), "maxBytes", 100));
    make(sandbox + "/processes", Map.of("argv", new String[] {"listen", get("port")}));
    Answer share = make(sandbox + "/shares", Map.of("port", program.port()));
    things.put("share", text(share, "id"));
    things.put("token", text(share, "token"));
    for (int i = 0; i < 2; i++) {
      make(sandbox + "/commands", Map.of("shell", "fetch 127.0.0.1 " + get("port") + " hello"));
    }
  }

  private void url(String kind, Object asked) throws Exception {
    String url = text(make("/v1/sandboxes/" + get("sandbox") + "/files/urls", asked), "url");
    things.put(kind + "Expires", url.replaceAll(".*expires=([0-9]+).*", "$1"));
    things.put(kind + "Signature", url.replaceAll(".*signature=", ""));
  }

  private void states() throws Exception {
    String sandbox = "/v1/sandboxes/" + get("sandbox");
    Map<String, String> labels = Map.of("of", get("project"));
    things.put(
        "snapshot",
        id(sandbox + "/snapshots", Map.of("name", get("snapshotName"), "labels", labels)));
    make(sandbox + "/snapshots", Map.of("name", get("same")));
    Answer forked = make(sandbox + "/fork", Map.of("count", 1));
    things.put("child", forked.json().at("/children/0/id").asString());
    things.put("pool", id("/v1/pools", Map.of("name", get("poolName"), "warm", 0, "max", 1)));
    make("/v1/pools", Map.of("name", get("same"), "warm", 0, "max", 1));
  }

  private void templates() throws Exception {
    for (String name : new String[] {get("template"), get("shared"), get("same")}) {
      send(
          "POST",
          "/v1/templates",
          "name: %s\nbase: {template: python}\nenv: {OWNER: %s}\n".formatted(name, get("project")),
          "Content-Type",
          "application/yaml");
    }
    String template = "/v1/templates/" + get("template");
    call("PUT", template + "/tags/" + get("tag"), "{\"version\":1}");
    things.put("build", call("GET", template + "/builds", "").json().at("/items/0/id").asString());
  }

  private void services() throws Exception {
    for (String name : new String[] {get("service"), get("same")}) {
      make(
          "/v1/services",
          Map.of(
              "name",
              name,
              "start",
              "listen " + program.port(),
              "port",
              program.port(),
              "idleSeconds",
              3600));
    }
    Answer service = call("GET", "/v1/services/" + get("service"), "");
    things.put("serviceId", text(service, "id"));
    Answer share = make("/v1/services/" + get("service") + "/shares", Map.of());
    things.put("serviceShare", text(share, "id"));
    things.put("serviceToken", text(share, "token"));
  }

  private void keys() throws Exception {
    things.put("keyId", id("/v1/keys", Map.of("name", "kept")));
    Answer revoked = make("/v1/keys", Map.of("name", "revoked"));
    things.put("revokedKey", text(revoked, "secret"));
    call("DELETE", "/v1/keys/" + text(revoked, "id"), "");
  }

  private void session() throws Exception {
    String both = "application/json, text/event-stream";
    Answer begun = send("POST", "/mcp", INITIALIZE, "Accept", both);
    things.put("session", begun.header("Mcp-Session-Id"));
    send("POST", "/mcp", RUN, "Accept", both, "Mcp-Session-Id", get("session"));
  }

  private String id(String path, Object body) throws Exception {
    return text(make(path, body), "id");
  }

  private Answer make(String path, Object body) throws Exception {
    return call("POST", path, Json.lenient().writeValueAsString(body));
  }

  private Answer call(String method, String path, String body) throws Exception {
    return send(method, path, body);
  }

  private Answer send(String method, String path, String body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.url(path))
            .header("X-API-Key", get("key"))
            .method(method, BodyPublishers.ofString(body));
    Answer answer = server.send(headers.length == 0 ? request : request.headers(headers));
    assertThat(answer.status()).as("%s %s: %s", method, path, answer.body()).isBetween(200, 299);
    return answer;
  }

  private static String text(Answer answer, String field) {
    String text = answer.json().path(field).asString("");
    assertThat(text).as("%s of %s", field, answer.body()).isNotEmpty();
    return text;
  }

  @Override
  public void close() {
    program.close();
  }
}
