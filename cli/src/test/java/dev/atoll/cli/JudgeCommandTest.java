package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class JudgeCommandTest {
  private static final String CASE =
      "{\"type\":\"case\",\"result\":{\"number\":%d,\"name\":\"%s\",\"verdict\":\"%s\",\"exitCode\":0,"
          + "\"stdout\":\"\",\"stderr\":\"\",\"diff\":\"%s\",\"durationMillis\":9,\"cpuMillis\":4,"
          + "\"maxRssBytes\":1572864}}";
  private static final String END =
      "{\"type\":\"judged\",\"verdict\":\"%s\",\"passed\":%d,\"total\":2}";

  @TempDir Path folder;
  private final CliHarness cli = new CliHarness();

  @AfterEach
  void stop() {
    cli.close();
  }

  private void answer(String path, String... lines) {
    cli.server.on(
        "POST " + path,
        exchange -> {
          FakeServer.lines(exchange, "{\"type\":\"ping\"}");
          FakeServer.lines(exchange, lines);
          exchange.close();
        });
  }

  private String program() throws IOException {
    for (String name : new String[] {"b", "a"}) {
      Files.writeString(folder.resolve(name + ".in"), name);
      Files.writeString(folder.resolve(name + ".out"), name + name);
    }
    return Files.writeString(folder.resolve("main.c"), "code").toString();
  }

  @Test
  void aFolderOfCasesIsJudged() throws IOException {
    answer(
        "/v1/judge",
        CASE.formatted(1, "a", "accepted", ""),
        CASE.formatted(2, "b", "wrong_answer", "@@ line 1 @@\\n-bb\\n+\\u001bx\\n"),
        END.formatted("wrong_answer", 1));
    assertThat(cli.run("judge", program(), "--cases", folder.toString(), "--time-limit", "500ms"))
        .isEqualTo(1);
    assertThat(cli.out())
        .contains("a                    accepted            4 ms     1.5 MiB\n")
        .contains("  -bb\n  +^[x\n")
        .endsWith("wrong_answer: 1 of 2 accepted\n");
    JsonNode request = Json.lenient().readTree(cli.server.seen().getLast().body());
    assertThat(request.path("language").asString()).isEqualTo("c");
    assertThat(request.path("timeLimitSeconds").asDouble()).isEqualTo(0.5);
    assertThat(request.at("/cases/0/stdin").asString()).isEqualTo("a");
    assertThat(request.at("/cases/1/expectedOutput").asString()).isEqualTo("bb");
  }

  @Test
  void acceptedIsSuccess() throws IOException {
    answer("/v1/sandboxes/lab/judge", END.formatted("accepted", 2));
    String pair = folder.resolve("a.in") + ":" + folder.resolve("a.out");
    assertThat(cli.run("judge", program(), "-s", "lab", "--case", pair, "-o", "json")).isZero();
    assertThat(Json.lenient().readTree(cli.out()).path("verdict").asString()).isEqualTo("accepted");
  }

  @Test
  void whatTheCompilerSaysIsShown() throws IOException {
    answer(
        "/v1/judge",
        "{\"type\":\"compiled\",\"compilation\":{\"ok\":false,\"exitCode\":1,"
            + "\"output\":\"main.c:1: no\\n\",\"durationMillis\":1}}",
        END.formatted("compilation_error", 0));
    assertThat(cli.run("judge", program(), "--cases", folder.toString())).isEqualTo(1);
    assertThat(cli.err()).isEqualTo("main.c:1: no\n");
  }

  @ParameterizedTest
  @CsvSource({
    "--case x, --case is INPUT:OUTPUT",
    "--match fuzzy, --match is exact",
    "--stop, give --case"
  })
  void whatMakesNoSenseIsRefused(String option, String message) throws IOException {
    String file = program();
    assertThat(cli.run(("judge " + file + " " + option).split(" ", -1))).isEqualTo(2);
    assertThat(cli.err()).contains(message);
  }
}
