package dev.atoll.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import dev.atoll.server.EngineFixture.Answer;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Programs that run once, over HTTP, down to a fake guest and back. */
@Timeout(60)
final class ProgramApiTest {
  private static final String CASES =
      "\"cases\":[{\"stdin\":\"a\",\"expectedOutput\":\"a\"},"
          + "{\"stdin\":\"b\",\"expectedOutput\":\"c\",\"name\":\"second\"},"
          + "{\"stdin\":\"d\",\"expectedOutput\":\"d\"}]";

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
  void nothingIsLeft() throws Exception {
    assertThat(server.get("/v1/sandboxes").json().get("items")).isEmpty();
    server.close();
  }

  private List<JsonNode> lines(String path, String body) throws Exception {
    try (InputStream stream =
        server.stream(server.request(path).POST(BodyPublishers.ofString(body))).body()) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> Json.lenient().readTree(line))
          .filter(line -> !line.path("type").asString().equals("ping"))
          .toList();
    }
  }

  @Test
  void aProgramRunsOnce() throws Exception {
    String request = "{\"language\":\"parrot\",\"code\":\"\",\"stdin\":\"hello\"}";
    Answer whole = server.post("/v1/execute", request);
    assertThat(whole.status()).as(whole.body()).isEqualTo(200);
    assertThat(whole.json().path("stdout").asString()).isEqualTo("hello");
    assertThat(whole.json().path("status").asString()).isEqualTo("ok");
    assertThat(lines("/v1/execute", request))
        .extracting(line -> line.path("type").asString())
        .containsExactly("compiled", "started", "stdout", "end");
  }

  @Test
  void aProgramIsJudged() throws Exception {
    String request = "{\"language\":\"parrot\",\"code\":\"\"," + CASES + "}";
    JsonNode whole = server.post("/v1/judge", request).json();
    assertThat(whole.path("verdict").asString()).isEqualTo("wrong_answer");
    assertThat(whole.path("passed").asInt()).isEqualTo(2);
    assertThat(whole.at("/cases/1/diff").asString()).isEqualTo("@@ line 1 @@\n-c\n+b\n");
    List<JsonNode> lines = lines("/v1/judge", request);
    assertThat(lines)
        .extracting(line -> line.path("type").asString())
        .containsExactly("compiled", "case", "case", "case", "judged");
    assertThat(lines.get(2).at("/result/name").asString()).isEqualTo("second");
    String stopping =
        "{\"language\":\"parrot\",\"code\":\"\",\"stopAtFirstFailure\":true," + CASES + "}";
    JsonNode stopped = server.post("/v1/judge", stopping).json();
    assertThat(stopped.path("cases")).hasSize(2);
    assertThat(stopped.path("total").asInt()).isEqualTo(3);
  }

  @Test
  void aSandboxThatIsThereServesToo() throws Exception {
    String sandbox = server.sandbox();
    String one =
        "{\"language\":\"parrot\",\"code\":\"\",\"stdin\":\"x\",\"expectedOutput\":\"x\"%s}";
    assertThat(server.post(sandbox + "/judge", one.formatted("")).json().path("verdict").asString())
        .isEqualTo("accepted");
    assertThat(server.post(sandbox + "/judge", one.formatted(",\"template\":\"python\"")).code())
        .isEqualTo("invalid_argument");
    assertThat(server.delete(sandbox).status()).isEqualTo(204);
  }

  @Test
  void whatMakesNoSenseIsRefused() throws Exception {
    assertThat(server.post("/v1/execute", "{\"language\":\"cobol\",\"code\":\"\"}").code())
        .isEqualTo("unsupported_language");
    assertThat(server.post("/v1/execute", "{\"code\":\"\"}").code()).isEqualTo("invalid_argument");
    assertThat(
            server
                .post(
                    "/v1/execute",
                    "{\"language\":\"parrot\",\"code\":\"\",\"files\":{\"../x\":\"\"}}")
                .code())
        .isEqualTo("invalid_argument");
    assertThat(server.post("/v1/execute", "{\"language\":\"c\",\"kode\":\"\"}").code())
        .isEqualTo("unknown_field");
    assertThat(
            server
                .post(
                    "/v1/judge",
                    "{\"language\":\"parrot\",\"code\":\"\",\"match\":\"exact\",\"tolerance\":0.1}")
                .code())
        .isEqualTo("invalid_argument");
  }
}
