package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What code asks is answered from the command's own input. */
@Timeout(60)
class RunQuestionsTest {
  private static final String CODE = "POST /v1/sandboxes/sbx_1/code";
  private static final String INPUT = "POST /v1/sandboxes/sbx_1/runs/run_1/input";

  private final CliHarness cli = new CliHarness();
  private final BlockingQueue<String> answered = new LinkedBlockingQueue<>();

  @AfterEach
  void stop() {
    cli.close();
  }

  private static String question(String id, String prompt, boolean password) {
    return "{\"type\":\"input_request\",\"id\":\"%s\",\"prompt\":\"%s\"%s}"
        .formatted(id, prompt, password ? ",\"password\":true" : "");
  }

  /** A run that asks one after the other. */
  private void asks(String... questions) {
    cli.server.on(
        INPUT,
        exchange -> {
          FakeServer.answer(exchange, 204, "");
          answered.add("");
        });
    cli.server.on(
        CODE,
        exchange -> {
          FakeServer.lines(exchange, CliHarness.STARTED);
          for (String question : questions) {
            FakeServer.lines(exchange, question);
            if (poll() == null) {
              break;
            }
          }
          FakeServer.lines(exchange, CliHarness.end("ok", 0));
          exchange.close();
        });
  }

  private String poll() {
    try {
      return answered.poll(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private List<JsonNode> bodies(String target) {
    return cli.server.seen().stream()
        .filter(seen -> seen.target().equals(target))
        .map(seen -> CliHarness.json(seen.body()))
        .toList();
  }

  @Test
  void linesOfStandardInputAreTheAnswersAndItsEndIsTheEnd() {
    cli.stdin = "Ada\r\nhunter2\nlast";
    asks(
        question("q1", "name? ", false),
        question("q2", "Password: ", true),
        question("q3", "", false),
        question("q4", "more? ", false));
    assertThat(cli.run("run", "-c", "x")).isZero();
    assertThat(bodies(INPUT).stream().map(Object::toString))
        .containsExactly(
            "{\"id\":\"q1\",\"text\":\"Ada\"}",
            "{\"id\":\"q2\",\"text\":\"hunter2\"}",
            "{\"id\":\"q3\",\"text\":\"last\"}",
            "{\"id\":\"q4\",\"eof\":true}");
    assertThat(bodies(CODE).getFirst().get("answersInput").asBoolean()).isTrue();
    assertThat(cli.out()).isEqualTo("name? more? ");
    assertThat(cli.err()).isEqualTo("Password: ");
  }

  @Test
  void inJsonThePromptsAreApart() {
    cli.stdin = "Ada\n";
    asks(question("q1", "name? ", false));
    assertThat(cli.run("run", "--output", "json", "-c", "x")).isZero();
    assertThat(CliHarness.json(cli.out()).get("status").asString()).isEqualTo("ok");
    assertThat(cli.err()).isEqualTo("name? ");
  }

  @Test
  void codeFromStandardInputIsNotAnswered() {
    cli.stdin = "input()";
    cli.code(CliHarness.end("ok", 0));
    assertThat(cli.run("run")).isZero();
    assertThat(cli.run("run", "-")).isZero();
    assertThat(bodies(CODE)).hasSize(2).noneMatch(body -> body.has("answersInput"));
  }

  @Test
  void aScriptMayAskToo(@TempDir Path folder) throws Exception {
    Path script = Files.writeString(folder.resolve("ask.py"), "input()");
    String entry = "{\"path\":\"/tmp/x\",\"kind\":\"file\",\"size\":1,\"mode\":\"0644\"}";
    cli.answers("PUT /v1/sandboxes/sbx_1/files", 200, entry);
    cli.code(CliHarness.end("ok", 0));
    assertThat(cli.run("run", script.toString())).as(cli.err()).isZero();
    assertThat(bodies(CODE).getFirst().get("answersInput").asBoolean()).isTrue();
  }

  @Test
  void aKernelThatCannotAskIsNotAsked() {
    cli.server.on(
        CODE,
        exchange -> {
          boolean answers =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)
                  .contains("answersInput");
          if (answers) {
            FakeServer.error(exchange, 422, "input_unsupported");
            return;
          }
          FakeServer.lines(exchange, CliHarness.STARTED, CliHarness.end("ok", 0));
          exchange.close();
        });
    assertThat(cli.run("run", "-l", "bash", "-c", "x")).as(cli.err()).isZero();
    assertThat(cli.err()).isEmpty();
  }
}
