package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.server.EngineFixture.Answer;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Installations over HTTP, down to a fake pip and back. */
@Timeout(60)
final class PackagesApiTest {
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
  void packagesAreInstalledAndListed() throws Exception {
    String sandbox = server.sandbox();
    Answer answer =
        server.post(sandbox + "/packages", "{\"manager\":\"pip\",\"packages\":[\"a\",\"b\"]}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.json().get("manager").asString()).isEqualTo("pip");
    assertThat(answer.json().get("installed").findValuesAsString("name")).containsExactly("a", "b");
    assertThat(answer.json().at("/installed/0/version").asString()).isEqualTo("1.0");
    assertThat(server.get(sandbox + "/packages").json().at("/items/0/name").asString())
        .isEqualTo("demo");
  }

  @Test
  void theEventBeforeTheEndTellsWhatCameOfItAlsoToALateReader() throws Exception {
    String sandbox = server.sandbox();
    List<String> lines = lines(sandbox, "{\"packages\":[\"a\"]}");
    assertThat(lines.getFirst()).contains("\"started\"");
    assertThat(lines.get(lines.size() - 2)).contains("\"packages\"").contains("\"a\"");
    assertThat(lines.getLast()).contains("\"end\"").contains("\"ok\"");
    String id = lines.getFirst().replaceAll(".*\"id\":\"(run_\\w+)\".*", "$1");
    assertThat(server.get(sandbox + "/runs/" + id + "/events").body())
        .isEqualTo(String.join("\n", lines) + "\n");
  }

  @Test
  void aFailureNamesThePackageAndHasACode() throws Exception {
    String sandbox = server.sandbox();
    Answer answer = server.post(sandbox + "/packages", "{\"packages\":[\"missing\"]}");
    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.code()).isEqualTo("package_not_found");
    assertThat(answer.json().at("/details/package").asString()).isEqualTo("missing");
    assertThat(answer.json().at("/details/log/0").asString()).startsWith("ERROR");
    List<String> lines = lines(sandbox, "{\"packages\":[\"missing\"]}");
    assertThat(lines.get(lines.size() - 2)).contains("\"failure\"").contains("package_not_found");
    assertThat(lines.getLast()).contains("\"status\":\"error\"");
  }

  @Test
  void aManagerThatIsNotThereIsTold() throws Exception {
    Answer answer =
        server.post(server.sandbox() + "/packages", "{\"manager\":\"gem\",\"packages\":[\"a\"]}");
    assertThat(answer.code()).isEqualTo("command_not_found");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"packages\":[\"--target=/etc\"]}",
        "{\"packages\":[]}",
        "{}",
        "{\"manager\":\"brew\",\"packages\":[\"a\"]}"
      })
  void whatIsNoRequestIsRefused(String body) throws Exception {
    Answer answer = server.post(server.sandbox() + "/packages", body);
    assertThat(answer.status()).isEqualTo(400);
  }

  private List<String> lines(String sandbox, String body) throws Exception {
    try (var in =
        server.stream(server.request(sandbox + "/packages").POST(BodyPublishers.ofString(body)))
            .body()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }
}
