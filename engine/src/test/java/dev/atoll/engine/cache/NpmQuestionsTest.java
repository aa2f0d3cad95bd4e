package dev.atoll.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What npm asks besides packages. */
@Timeout(120)
final class NpmQuestionsTest {
  private static final String BULK = "/npm/-/npm/v1/security/advisories/bulk";
  private static final String ASKED = "{\"lodash\":[\"4.17.0\"]}";

  @TempDir Path folder;
  private FakeRegistry registry = unset();
  private FakeProgram program = unset();

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T unset() {
    return null;
  }

  @BeforeEach
  void start() throws IOException {
    registry = new FakeRegistry();
    program =
        new FakeProgram(
            new PackageCache(PackageSettings.of(1 << 30, Duration.ofHours(1)), folder, registry));
    registry.page("/npm/-/ping", "application/json", "{}");
    registry.page("/npm/-/v1/search", "application/json", "{\"objects\":[]}");
    registry.page(BULK, "application/json", "{\"lodash\":[{\"id\":1}]}");
  }

  @AfterEach
  void stop() {
    registry.close();
  }

  @Test
  void questionsArePassedOnAndNothingIsKept() throws IOException {
    assertThat(program.get("/npm/-/ping").text()).isEqualTo("{}");
    assertThat(program.get("/npm/-/v1/search?text=left%20pad&size=20").text())
        .isEqualTo("{\"objects\":[]}");
    assertThat(registry.sent).containsEntry("/npm/-/v1/search", "text=left%20pad&size=20");
    assertThat(program.post(BULK, "", ASKED.getBytes(StandardCharsets.UTF_8)).json())
        .isEqualTo(Json.lenient().readTree("{\"lodash\":[{\"id\":1}]}"));
    assertThat(registry.sent).containsEntry(BULK, ASKED);
    for (String part : new String[] {"files", "pages", "aside"}) {
      try (Stream<Path> kept = Files.list(folder.resolve(part))) {
        assertThat(kept).as(part).isEmpty();
      }
    }
    registry.off = true;
    assertThat(program.get("/npm/-/ping").status()).contains("503");
  }

  @Test
  void whatTheRegistryDoesNotHaveItSaysItself() {
    String search = "/npm/-/v1/search";
    registry.page(search, "application/json", "{\"error\":\"search is not here\"}");
    registry.statuses.put(search, 405);
    FakeProgram.Came came = program.get(search + "?text=x");
    assertThat(came.status()).contains("405");
    assertThat(came.text()).contains("search is not here");
    assertThat(program.get("/npm/-/npm/v1/keys").status()).contains("404 Not Found");
  }

  @Test
  void whatIsSentIsBounded() {
    assertThat(program.post(BULK, "", new byte[(8 << 20) + 1]).status()).contains("400");
    assertThat(
            program
                .ask(
                    "POST " + BULK + " HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", new byte[9])
                .status())
        .contains("400");
    assertThat(program.get("/npm/-/v1/search?text=" + "x".repeat(3000)).status()).contains("400");
    assertThat(registry.asked).isEmpty();
  }

  @Test
  void whatIsReadIsNotSentAndWhatIsSentIsNotEmpty() {
    for (String head :
        List.of("GET %s HTTP/1.1\r\nContent-Length: 2", "POST %s HTTP/1.1\r\nContent-Length: 00")) {
      FakeProgram.Came came = program.ask(head.formatted(BULK) + "\r\n\r\n", new byte[2]);
      assertThat(came.status()).contains("405");
    }
    assertThat(program.post("/npm/-/ping", "", new byte[2]).status()).contains("405");
    assertThat(registry.asked).isEmpty();
  }

  @Test
  void anAnswerWithoutEndBreaksOff() {
    registry.page(BULK, "application/json", new byte[33 << 20]);
    assertThat(program.post(BULK, "", ASKED.getBytes(StandardCharsets.UTF_8)).whole()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/npm/-/user/org.couchdb.user:x", "/npm/-/npm/v1/tokens", "/npm/demo"})
  void nothingElseIsSentAnywhere(String path) {
    assertThat(program.post(path, "", new byte[10]).status()).containsPattern("40[045]");
    assertThat(program.get("/npm/-/user/x").status()).contains("404");
    assertThat(registry.asked).isEmpty();
  }

  /** The next request on a connection begins after the body of the last. */
  @Test
  void aConnectionGoesOnAfterAQuestionWithABody() throws IOException {
    String both =
        "POST %s HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s".formatted(BULK, ASKED.length(), ASKED)
            + "GET /npm/-/ping HTTP/1.1\r\n\r\n";
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    program
        .cache()
        .serve(
            new ByteArrayInputStream(both.getBytes(StandardCharsets.US_ASCII)),
            out,
            (code, message) -> {});
    assertThat(out.toString(StandardCharsets.US_ASCII).split("HTTP/1.1 200", -1)).hasSize(3);
  }

  @Test
  void whatIsLeftOfABodyIsNoRequest() throws IOException {
    String body = "GET /npm/-/ping HTTP/1.1\r\n\r\n";
    String head = "POST /npm/-/other HTTP/1.1\r\nContent-Length: " + body.length() + "\r\n\r\n";
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    program
        .cache()
        .serve(
            new ByteArrayInputStream((head + body).getBytes(StandardCharsets.US_ASCII)),
            out,
            (code, message) -> {});
    assertThat(out.toString(StandardCharsets.US_ASCII).split("HTTP/1.1 ", -1)).hasSize(2);
    assertThat(registry.asked).isEmpty();
  }
}
