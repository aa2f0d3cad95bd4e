package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.atoll.model.Json;
import dev.atoll.server.EngineFixture.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Secrets over HTTP, down to a fake guest whose requests they are put into. */
@Timeout(60)
final class SecretApiTest {
  private static final String VALUE = "xyzzy-4711-never-to-be-seen";

  @TempDir Path folder;
  private final List<String> arrived = new CopyOnWriteArrayList<>();
  private EngineFixture server = unset();
  private HttpServer web = unset();

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T unset() {
    return null;
  }

  @BeforeEach
  void start() throws Exception {
    server = new EngineFixture(folder, "--network.reachable=127.0.0.1,::1,localhost");
    web = HttpServer.create(new InetSocketAddress(InetAddress.getByName("localhost"), 0), 50);
    web.createContext(
        "/",
        exchange -> {
          String key = String.valueOf(exchange.getRequestHeaders().getFirst("X-Api-Key"));
          arrived.add(key);
          byte[] body = ("you sent " + key).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    web.start();
  }

  @AfterEach
  void stop() {
    web.stop(0);
    server.close();
  }

  private int port() {
    return web.getAddress().getPort();
  }

  private Answer put(String name, Object spec) throws Exception {
    return server.put("/v1/secrets/" + name, Json.lenient().writeValueAsBytes(spec));
  }

  private String sandbox(String... secrets) throws Exception {
    Answer made =
        server.post(
            "/v1/sandboxes",
            Json.lenient()
                .writeValueAsString(
                    Map.of(
                        "secrets",
                        secrets,
                        "network",
                        Map.of("mode", "allowlist", "allow", List.of("localhost")))));
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    return "/v1/sandboxes/" + made.json().get("id").asString();
  }

  private String fetch(String sandbox, String key) throws Exception {
    String request =
        "GET / HTTP/1.1\r\nHost: localhost:"
            + port()
            + "\r\nX-Api-Key: "
            + key
            + "\r\nConnection: close\r\n\r\n";
    Answer answer =
        server.post(
            sandbox + "/commands",
            Json.lenient()
                .writeValueAsString(
                    Map.of(
                        "argv", List.of("fetch", "localhost", Integer.toString(port()), request))));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json().get("stdout").asString();
  }

  @Test
  void aSecretIsMadeListedChangedAndDeletedAndNeverGivenBack() throws Exception {
    Answer made =
        server.post(
            "/v1/secrets",
            """
            {"name":"open-ai","value":"%s","domains":["api.Example.com","*.example.org:8443"],
             "header":"Authorization: Bearer {value}"}
            """
                .formatted(VALUE));
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    assertThat(made.header("Location")).isEqualTo("/v1/secrets/open-ai");
    assertThat(made.json().get("env").asString()).isEqualTo("OPEN_AI");
    assertThat(made.json().get("domains").toString())
        .isEqualTo("[\"api.example.com:443\",\"*.example.org:8443\"]");
    assertThat(server.post("/v1/secrets", "{\"name\":\"open-ai\"}").code()).isEqualTo("name_taken");
    for (Map<String, Object> change :
        List.<Map<String, Object>>of(
            Map.of("domains", List.of("evil.example.com")),
            Map.of("header", ""),
            Map.of("query", "key={value}"),
            Map.of("replaceIn", List.of("path")))) {
      Answer refused = put("open-ai", change);
      assertThat(refused.code()).as(refused.body()).isEqualTo("invalid_argument");
      assertThat(refused.json().at("/details/field").asString()).isEqualTo("value");
    }
    assertThat(server.get("/v1/secrets/open-ai").json()).isEqualTo(made.json());
    Answer changed =
        put(
            "open-ai",
            Map.of("env", "KEY", "header", "", "value", VALUE, "replaceIn", List.of("query")));
    assertThat(changed.json().get("replaceIn").toString()).isEqualTo("[\"query\"]");
    assertThat(changed.json().has("header")).isFalse();
    assertThat(changed.json().get("placeholder")).isEqualTo(made.json().get("placeholder"));
    Answer listed = server.get("/v1/secrets");
    assertThat(listed.json().get("items")).hasSize(1);
    assertThat(server.get("/v1/secrets/open-ai").json()).isEqualTo(changed.json());
    for (Answer answer : List.of(made, changed, listed)) {
      assertThat(answer.body()).doesNotContain(VALUE);
    }
    assertThat(server.delete("/v1/secrets/open-ai").status()).isEqualTo(204);
    assertThat(server.get("/v1/secrets/open-ai").code()).isEqualTo("secret_not_found");
    assertThat(server.delete("/v1/secrets/open-ai").code()).isEqualTo("secret_not_found");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"domains\":[\"a.test\"]} | invalid_argument",
        "{\"value\":\"xyzzy-4711-never-to-be-seen\"} | invalid_argument",
        "{\"value\":\"short\",\"domains\":[\"a.test\"]} | invalid_argument",
        "{\"value\":{\"xyzzy-4711-never-to-be-seen\":1},\"domains\":[\"a.test\"]} | bad_request",
        "{\"value\":\"xyzzy-4711-never-to-be-seen\",\"domains\":[\"*\"]} | invalid_argument",
        "{\"name\":\"b\",\"value\":\"xyzzy-4711-never-to-be-seen\",\"domains\":[\"a.test\"]} |"
            + " invalid_argument",
        "{\"value\":\"xyzzy-4711-never-to-be-seen\",\"domain\":\"a.test\"} | unknown_field"
      })
  void badSecretsAreExplainedWithoutTheirValues(String body, String code) throws Exception {
    Answer answer = server.put("/v1/secrets/key", body.getBytes(StandardCharsets.UTF_8));
    assertThat(answer.code()).as(answer.body()).isEqualTo(code);
    assertThat(answer.body()).doesNotContain("xyzzy-4711-never");
    assertThat(server.get("/v1/secrets").json().get("items")).isEmpty();
  }

  @Test
  void onlyASandboxThatListsItCanUseItAndTheRecordNamesIt() throws Exception {
    JsonNode info =
        put("key", Map.of("value", VALUE, "domains", List.of("http://localhost:" + port()))).json();
    String placeholder = info.get("placeholder").asString();
    String with = sandbox("key");
    assertThat(server.get(with).json().get("secrets").toString()).isEqualTo("[\"key\"]");
    assertThat(
            server.post(with + "/commands", "{\"shell\":\"env\"}").json().get("stdout").asString())
        .contains("KEY=" + placeholder);
    assertThat(fetch(with, placeholder)).contains("you sent atoll-secret-").doesNotContain(VALUE);
    String without = sandbox();
    assertThat(
            server
                .post(without + "/commands", "{\"shell\":\"env\"}")
                .json()
                .get("stdout")
                .asString())
        .doesNotContain("atoll-secret");
    assertThat(fetch(without, placeholder)).contains("you sent " + placeholder);
    assertThat(arrived).containsExactly(VALUE, placeholder);
    JsonNode recorded =
        server
            .get("/v1/connections?sandbox=" + with.substring(with.lastIndexOf('/') + 1))
            .json()
            .get("items");
    assertThat(recorded.toString()).contains("\"secrets\":[\"key\"]").doesNotContain(VALUE);
  }

  @Test
  void secretsAreGivenAndTakenWhileASandboxLives() throws Exception {
    String sandbox = sandbox();
    JsonNode info =
        put("key", Map.of("value", VALUE, "domains", List.of("http://localhost:" + port()))).json();
    String placeholder = info.get("placeholder").asString();
    patch(sandbox, "{\"secrets\":[\"key\"]}");
    fetch(sandbox, placeholder);
    put("key", Map.of("value", "the-new-value"));
    fetch(sandbox, placeholder);
    String child =
        "/v1/sandboxes/"
            + server.post(sandbox + "/fork", "{}").json().at("/children/0/id").asString();
    fetch(child, placeholder);
    patch(sandbox, "{\"secrets\":[]}");
    fetch(sandbox, placeholder);
    server.restart();
    fetch(child, placeholder);
    server.delete("/v1/secrets/key");
    fetch(child, placeholder);
    assertThat(arrived)
        .containsExactly(
            VALUE, "the-new-value", "the-new-value", placeholder, "the-new-value", placeholder);
  }

  @Test
  void aSecretThatIsNotThereCannotBeListed() throws Exception {
    assertThat(server.post("/v1/sandboxes", "{\"secrets\":[\"none\"]}").code())
        .isEqualTo("secret_not_found");
    assertThat(server.post("/v1/pools", "{\"warm\":0,\"max\":1,\"secrets\":[\"none\"]}").code())
        .isEqualTo("secret_not_found");
    assertThat(patch(server.sandbox(), "{\"secrets\":[\"none\"]}").code())
        .isEqualTo("secret_not_found");
  }

  @Test
  void poolsGiveTheirSandboxesSecrets() throws Exception {
    put("key", Map.of("value", VALUE, "domains", List.of("http://localhost:" + port())));
    server.post("/v1/pools", "{\"name\":\"p\",\"warm\":0,\"max\":3,\"secrets\":[\"key\"]}");
    assertThat(server.post("/v1/pools/p/claim", "{}").json().get("secrets").toString())
        .isEqualTo("[\"key\"]");
    assertThat(server.post("/v1/pools/p/claim", "{\"secrets\":[]}").json().get("secrets"))
        .isEmpty();
  }

  @Test
  void nothingOfTheServerHoldsTheValue() throws Exception {
    put("key", Map.of("value", VALUE, "domains", List.of("http://localhost:" + port())));
    fetch(sandbox("key"), server.get("/v1/secrets/key").json().get("placeholder").asString());
    assertThat(arrived).containsExactly(VALUE);
    assertThat(server.get("/metrics").body()).doesNotContain(VALUE);
    try (Stream<Path> files = Files.walk(server.data())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(text(file)).as(file.toString()).doesNotContain(VALUE);
      }
    }
  }

  private static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
  }

  private Answer patch(String path, String body) throws Exception {
    return server.send(server.request(path).method("PATCH", BodyPublishers.ofString(body)));
  }
}
