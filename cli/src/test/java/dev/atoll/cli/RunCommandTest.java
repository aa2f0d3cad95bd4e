package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class RunCommandTest {
  private static final String DELETE = "DELETE /v1/sandboxes/sbx_1";

  private final CliHarness cli = new CliHarness();

  @AfterEach
  void stop() {
    cli.close();
  }

  @Test
  void outputResultAndErrorsGoWhereTheyBelong() {
    cli.code(
        "{\"type\":\"stdout\",\"offset\":0,\"text\":\"no newline\"}",
        "{\"type\":\"stderr\",\"offset\":10,\"text\":\"warned\\n\"}",
        "{\"type\":\"cut\",\"offset\":17,\"bytes\":2}",
        "{\"type\":\"cut\",\"offset\":19,\"bytes\":3}",
        "{\"type\":\"result\",\"data\":{\"text/plain\":\"42\"}}",
        CliHarness.end("ok", 0));
    assertThat(cli.run("run", "-c", "x")).isEqualTo(123);
    assertThat(cli.out()).isEqualTo("no newline\n42\n");
    assertThat(cli.err()).isEqualTo("warned\natoll: 5 bytes of output left out\n");
    assertThat(cli.server.targets())
        .containsExactly("POST /v1/sandboxes", "POST /v1/sandboxes/sbx_1/code", DELETE);
  }

  @Test
  void theGuestsBytesPassUnchanged() {
    cli.code("{\"type\":\"stdout\",\"offset\":0,\"base64\":\"/wD+Cg==\"}", CliHarness.end("ok", 0));
    cli.run("run", "-c", "x");
    assertThat(cli.outBytes()).containsExactly(0xff, 0x00, 0xfe, 0x0a);
  }

  @Test
  void noneAndUnwantedResultsAreNotPrinted() {
    cli.code("{\"type\":\"result\",\"data\":{\"text/plain\":\"None\"}}", CliHarness.end("ok", 0));
    cli.run("run", "-c", "x");
    cli.code("{\"type\":\"result\",\"data\":{\"text/plain\":\"7\"}}", CliHarness.end("ok", 0));
    cli.run("run", "--no-result", "-c", "x");
    assertThat(cli.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "ok, 0, 0",
    "error, 1, 1",
    "error, 42, 42",
    "error, 0, 1",
    "timeout, 1, 124",
    "interrupted, 1, 130",
    "memory_limit, 137, 137",
    "killed, 143, 143"
  })
  void theGuestsExitCodeIsPassedOn(String status, int exitCode, int expected) {
    cli.code(CliHarness.end(status, exitCode));
    assertThat(cli.run("run", "-c", "x")).isEqualTo(expected);
    assertThat(cli.server.targets()).contains(DELETE);
  }

  @Test
  void aTracebackGoesToStderr() {
    cli.code(
        "{\"type\":\"error\",\"error\":{\"name\":\"E\",\"value\":\"v\",\"traceback\":[\"line 1\\n\",\"E: v\\n\"]}}",
        CliHarness.end("error", 1));
    assertThat(cli.run("run", "-c", "x")).isEqualTo(1);
    assertThat(cli.out()).isEmpty();
    assertThat(cli.err()).isEqualTo("line 1\nE: v\n");
  }

  @Test
  void jsonIsOneDocumentAndKeepsTheExitCode() {
    cli.code("{\"type\":\"stdout\",\"offset\":0,\"text\":\"a\"}", CliHarness.end("error", 3));
    assertThat(cli.run("run", "--output", "json", "-c", "x")).isEqualTo(3);
    JsonNode result = Json.strict().readTree(cli.out());
    assertThat(result.get("stdout").asString()).isEqualTo("a");
    assertThat(result.get("exitCode").asInt()).isEqualTo(3);
  }

  @Test
  void imagesAreSavedUnderFreeNames(@TempDir Path temp) throws Exception {
    String figure =
        "{\"type\":\"display\",\"data\":{\"text/plain\":\"<Figure>\",\"image/png\":\"cG5n\"}}";
    String vector =
        "{\"type\":\"result\",\"data\":{\"text/plain\":\"v\",\"image/svg+xml\":\"<svg/>\"}}";
    cli.code(figure, vector, CliHarness.end("ok", 0));
    Path folder = temp.resolve("new/images");
    for (String output : List.of("text", "json")) {
      assertThat(cli.run("run", "--output", output, "--save-images", folder.toString(), "-c", "x"))
          .isZero();
    }
    try (var files = Files.list(folder)) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrder("image-1.png", "image-2.svg", "image-2.png", "image-3.svg");
    }
    assertThat(folder.resolve("image-1.png")).hasContent("png");
    assertThat(folder.resolve("image-2.svg")).hasContent("<svg/>");
    assertThat(cli.err()).contains("atoll: saved " + folder.resolve("image-1.png"));
  }

  @Test
  void whatIsReplacedIsPrintedInItsLastState() {
    String bar = "{\"type\":\"display\",\"displayId\":\"b\",%s\"data\":{\"text/plain\":\"%s\"}}";
    cli.code(
        bar.formatted("", "0%"),
        bar.formatted("\"update\":true,", "50%"),
        "{\"type\":\"stdout\",\"offset\":0,\"text\":\"said\\n\"}",
        bar.formatted("\"update\":true,", "100%"),
        CliHarness.end("ok", 0));
    cli.run("run", "-c", "x");
    assertThat(cli.out()).isEqualTo("0%\nsaid\n100%\n");
  }

  @Test
  void whatIsClearedIsNotInTheWholeResult() {
    cli.code(
        "{\"type\":\"stdout\",\"offset\":0,\"text\":\"gone\"}",
        "{\"type\":\"display\",\"clear\":\"next\",\"data\":{\"text/plain\":\"\"}}",
        "{\"type\":\"stdout\",\"offset\":4,\"text\":\"stays\"}",
        CliHarness.end("ok", 0));
    cli.run("run", "--output", "json", "-c", "x");
    JsonNode result = Json.strict().readTree(cli.out());
    assertThat(result.get("stdout").asString()).isEqualTo("stays");
    assertThat(result.get("displays")).isEmpty();
  }

  @Test
  void whatABrowserDrawsIsSavedAsAPageOrItIsSaidWhyNot(@TempDir Path temp) throws Exception {
    String figure =
        "{\"type\":\"display\",\"data\":{\"text/plain\":\"f\",%s\"application/vnd.plotly.v1+json\":{}}}";
    cli.code(figure.formatted("\"text/html\":\"<div>é</div>\","), CliHarness.end("ok", 0));
    cli.run("run", "--save-images", temp.toString(), "-c", "x");
    assertThat(temp.resolve("image-1.html")).content().contains("utf-8", "<div>é</div>");
    cli.code(figure.formatted(""), CliHarness.end("ok", 0));
    cli.run("run", "--save-images", temp.toString(), "-c", "x");
    assertThat(cli.err()).contains("a figure of plotly was not saved: it is too large");
  }

  @Test
  void imagesThatAreNotSavedAreMentioned() {
    cli.code(
        "{\"type\":\"display\",\"data\":{\"text/plain\":\"<Figure>\",\"image/png\":\"cG5n\"}}",
        CliHarness.end("ok", 0));
    cli.run("run", "-c", "x");
    assertThat(cli.out()).isEqualTo("<Figure>\n");
    assertThat(cli.err()).isEqualTo("atoll: 1 image was not saved; --save-images DIR does\n");
  }

  @Test
  void codeComesFromAFileOrFromStdin(@TempDir Path temp) throws Exception {
    cli.code(CliHarness.end("ok", 0));
    Path file = Files.writeString(temp.resolve("a.py"), "print('file')");
    cli.run("run", "--cell", file.toString());
    cli.stdin = "print('stdin')";
    cli.run("run", "-");
    cli.run("run");
    assertThat(
            cli.server.seen().stream().map(FakeServer.Seen::body).filter(b -> b.contains("print")))
        .containsExactly(
            "{\"code\":\"print('file')\",\"language\":\"python\",\"reconnectSeconds\":60.0,\"answersInput\":true}",
            "{\"code\":\"print('stdin')\",\"reconnectSeconds\":60.0}",
            "{\"code\":\"print('stdin')\",\"reconnectSeconds\":60.0}");
  }

  @ParameterizedTest
  @CsvSource({"a.sh,,bash", "a.js,,javascript", "a.txt,,", "a.py,sh,bash", "a.txt,Node,javascript"})
  void theLanguageIsThatOfTheFileUnlessItIsSaid(
      String name, String said, String expected, @TempDir Path temp) throws Exception {
    cli.code(CliHarness.end("ok", 0));
    String file = Files.writeString(temp.resolve(name), "x").toString();
    int _ =
        said == null ? cli.run("run", "--cell", file) : cli.run("run", "--cell", "-l", said, file);
    JsonNode body = CliHarness.json(body("/code"));
    assertThat(body.path("language").asString(null)).isEqualTo(expected);
  }

  @Test
  void aNewSandboxHasTheLanguageUnlessItsTemplateIsSaid() {
    cli.code(CliHarness.end("ok", 0));
    cli.run("run", "-l", "ts", "-c", "x");
    assertThat(CliHarness.json(body("/v1/sandboxes")).path("template").asString(null))
        .isEqualTo("node");
    cli.run("run", "-l", "ts", "-t", "data", "-c", "x");
    assertThat(cli.server.seen().stream().map(FakeServer.Seen::body))
        .anyMatch(body -> body.contains("\"template\":\"data\""));
  }

  private static String path(String target) {
    return target.replaceFirst("\\?.*", "");
  }

  private String body(String target) {
    return cli.server.seen().stream()
        .filter(seen -> path(seen.target()).endsWith(target))
        .map(FakeServer.Seen::body)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void argumentsOfAFileBecomeThoseOfTheProgram(@TempDir Path temp) throws Exception {
    cli.code(CliHarness.end("ok", 0));
    Path file = Files.writeString(temp.resolve("a.py"), "print('file')");
    assertThat(cli.run("run", "--cell", file.toString(), "one", "--", "--two", "\"é")).isZero();
    List<String> codes =
        cli.server.seen().stream()
            .filter(seen -> seen.target().endsWith("/code"))
            .map(seen -> CliHarness.json(seen.body()).get("code").asString())
            .toList();
    assertThat(codes)
        .containsExactly(
            "__import__('sys').argv = [\"" + file + "\",\"one\",\"--two\",\"\\\"é\"]",
            "print('file')");
    assertThat(cli.run("run", "-s", "box", "--cell", "-l", "node", file.toString(), "one"))
        .isEqualTo(2);
  }

  private void takesFiles() {
    String entry = "{\"path\":\"/tmp/x\",\"kind\":\"file\",\"size\":1,\"mode\":\"0644\"}";
    cli.answers("PUT /v1/sandboxes/sbx_1/files", 200, entry);
    cli.answers("PUT /v1/sandboxes/sbx_1/files/tar", 204, "");
    cli.code(CliHarness.end("ok", 0));
    cli.server.on(
        "POST /v1/sandboxes/sbx_1/commands",
        exchange -> {
          FakeServer.lines(exchange, CliHarness.STARTED, CliHarness.end("error", 3));
          exchange.close();
        });
  }

  @Test
  void aFileOfPythonRunsUnderItsNameInTheKernel(@TempDir Path temp) throws Exception {
    takesFiles();
    Path file = Files.writeString(temp.resolve("a.py"), "print('file')");
    assertThat(cli.run("run", file.toString(), "one", "--", "--two", "\"é")).isZero();
    assertThat(cli.server.targets())
        .extracting(RunCommandTest::path)
        .containsExactly(
            "POST /v1/sandboxes",
            "PUT /v1/sandboxes/sbx_1/files",
            "POST /v1/sandboxes/sbx_1/code",
            DELETE);
    assertThat(body("/files")).isEqualTo("print('file')");
    assertThat(CliHarness.json(body("/code")).get("code").asString())
        .matches(
            "get_ipython\\(\\)\\.run_script\\(\"/tmp/run-[0-9a-f]{8}/a\\.py\", \\[\"one\",\"--two\",\"\\\\\"é\"]\\)");
  }

  @Test
  void whatItMayImportIsSentAlong(@TempDir Path temp) throws Exception {
    takesFiles();
    Files.createDirectories(temp.resolve("package/.git"));
    Files.createDirectories(temp.resolve("node_modules/x"));
    for (String name :
        List.of("beside.py", "package/__init__.py", "package/.git/x.py", "node_modules/x/y.py")) {
      Files.writeString(temp.resolve(name), "x");
    }
    Files.writeString(temp.resolve("secret.env"), "PASSWORD");
    Path file = Files.writeString(temp.resolve("a.py"), "import beside");
    cli.run("run", file.toString());
    assertThat(body("/files/tar"))
        .contains("a.py", "beside.py", "package/__init__.py")
        .doesNotContain("PASSWORD", "node_modules", ".git");
  }

  @Test
  void aFolderThatIsNoSmallProgramIsNotSentAndThatIsSaid(@TempDir Path temp) throws Exception {
    takesFiles();
    for (int i = 0; i <= ScriptFiles.MOST_FILES; i++) {
      Files.writeString(temp.resolve("m" + i + ".py"), "x");
    }
    Path file = Files.writeString(temp.resolve("a.py"), "x");
    assertThat(cli.run("run", file.toString())).isZero();
    assertThat(cli.err()).startsWith("atoll: only " + file + " is sent");
    assertThat(cli.server.targets())
        .extracting(RunCommandTest::path)
        .contains("PUT /v1/sandboxes/sbx_1/files");
  }

  @ParameterizedTest
  @CsvSource({"a.sh, bash", "a.mjs, node", "A.java, java"})
  void filesOfOtherLanguagesAreProcessesWithTheirExitCode(
      String name, String program, @TempDir Path temp) throws Exception {
    takesFiles();
    Path file = Files.writeString(temp.resolve(name), "x");
    assertThat(cli.run("run", "--timeout", "30s", file.toString(), "one")).isEqualTo(3);
    JsonNode body = CliHarness.json(body("/commands"));
    assertThat(body.get("argv").get(0).asString()).isEqualTo(program);
    assertThat(body.get("argv").get(1).asString()).matches("/tmp/run-[0-9a-f]{8}/" + name);
    assertThat(body.get("argv").get(2).asString()).isEqualTo("one");
    assertThat(body.get("timeoutSeconds").asDouble()).isEqualTo(30);
  }

  @Test
  void aNamedSandboxIsUsedWithOneRequestAndKept() {
    cli.server.on(
        "POST /v1/sandboxes/box/code",
        exchange -> {
          FakeServer.lines(exchange, CliHarness.STARTED, CliHarness.end("ok", 0));
          exchange.close();
        });
    assertThat(cli.run("run", "--sandbox", "box", "-c", "x")).isZero();
    assertThat(cli.server.targets()).containsExactly("POST /v1/sandboxes/box/code");
  }

  @Test
  void aNamedSandboxThatIsAbsentIsMadePersistent() {
    AtomicBoolean made = new AtomicBoolean();
    cli.server.on(
        "POST /v1/sandboxes",
        exchange -> {
          made.set(true);
          FakeServer.answer(exchange, 201, CliHarness.SANDBOX);
        });
    cli.server.on(
        "POST /v1/sandboxes/box/code",
        exchange -> {
          if (made.get()) {
            FakeServer.lines(exchange, CliHarness.STARTED, CliHarness.end("ok", 0));
            exchange.close();
          } else {
            FakeServer.error(exchange, 404, "sandbox_not_found");
          }
        });
    cli.server.on(
        "GET /v1/sandboxes/box", exchange -> FakeServer.error(exchange, 404, "sandbox_not_found"));
    assertThat(cli.run("run", "-s", "box", "--memory", "1g", "-c", "x")).isZero();
    assertThat(cli.server.seen().stream().map(FakeServer.Seen::body))
        .contains("{\"name\":\"box\",\"memoryMiB\":1024,\"persistent\":true}");
    assertThat(cli.err()).isEmpty();
    assertThat(cli.server.targets()).doesNotContain(DELETE);
  }

  @Test
  void theFirstInterruptCancelsTheRunAndTheSandboxIsRemoved() throws Exception {
    CountDownLatch cancelled = new CountDownLatch(1);
    cli.server.on(
        "POST /v1/sandboxes/sbx_1/code",
        exchange -> {
          FakeServer.lines(
              exchange,
              CliHarness.STARTED,
              "{\"type\":\"stdout\",\"offset\":0,\"text\":\"before\\n\"}");
          cli.interrupt(cancelled);
          FakeServer.lines(
              exchange,
              "{\"type\":\"stdout\",\"offset\":7,\"text\":\"after\\n\"}",
              CliHarness.end("interrupted", 130));
          exchange.close();
        });
    cli.server.on(
        "POST /v1/sandboxes/sbx_1/runs/run_1/cancel",
        exchange -> {
          FakeServer.answer(exchange, 204, "");
          cancelled.countDown();
        });
    assertThat(cli.run("run", "-c", "x")).isEqualTo(130);
    assertThat(cli.out()).isEqualTo("before\nafter\n");
    assertThat(cli.server.targets()).endsWith(DELETE);
  }

  @Test
  void oneThatEndedByItselfIsNamedBeforeANewOneTakesItsPlace() {
    String ended =
        CliHarness.SANDBOX
            .replace("\"running\"", "\"failed\",\"reason\":\"memory_limit\"")
            .replace("\"lastUsedAt\"", "\"endedAt\":\"2026-11-15T01:02:03Z\",\"lastUsedAt\"");
    String removed = ended.replace("memory_limit", "user").replace("T00:00", "T05:00");
    cli.answers("GET /v1/sandboxes", 200, "{\"items\":[" + ended + "]}");
    cli.server.on(
        "POST /v1/sandboxes/box/code",
        exchange -> {
          if (cli.server.targets().contains("POST /v1/sandboxes")) {
            FakeServer.lines(exchange, CliHarness.STARTED, CliHarness.end("ok", 0));
            exchange.close();
          } else {
            FakeServer.error(exchange, 404, "sandbox_not_found");
          }
        });
    assertThat(cli.run("run", "-s", "box", "-c", "x")).isZero();
    assertThat(cli.err())
        .isEqualTo("atoll: box ended (memory_limit) at 2026-11-15T01:02:03Z; this is a new one\n");
    cli.server.seen().clear();
    cli.answers("GET /v1/sandboxes", 200, "{\"items\":[" + ended + "," + removed + "]}");
    assertThat(cli.run("run", "-s", "box", "-c", "x")).isZero();
    assertThat(cli.err()).as("the owner ended the last one").hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({
    "--memory 1g, atoll rm box",
    "--template node, atoll rm box",
    "--from base, atoll rm box",
    "--cpus 2, atoll rm box",
    "--network none, atoll network mode box",
    "--allow example.com, atoll network mode box",
    "--secret openai, atoll update box --secret"
  })
  void whatAnExistingSandboxIsNotIsRefused(String options, String instead) {
    cli.answers("GET /v1/sandboxes/box", 200, CliHarness.SANDBOX);
    String[] line = ("run -s box -c x " + options).split(" ", -1);
    assertThat(cli.run(line)).isEqualTo(2);
    assertThat(cli.err()).contains("box is there already", options.split(" ", -1)[0], instead);
    assertThat(cli.server.targets()).doesNotContain("POST /v1/sandboxes/box/code");
  }

  @Test
  void whatAnExistingSandboxIsMayBeSaidAgainAndVariablesAreTheRuns() {
    cli.answers("GET /v1/sandboxes/box", 200, CliHarness.SANDBOX);
    cli.server.on(
        "POST /v1/sandboxes/box/code",
        exchange -> {
          FakeServer.lines(exchange, CliHarness.STARTED, CliHarness.end("ok", 0));
          exchange.close();
        });
    String line = "run -s box --memory 512 --cpus 1 --template python -e A=1 -c x";
    assertThat(cli.run(line.split(" ", -1))).isZero();
    assertThat(cli.lastBody())
        .isEqualTo(
            CliHarness.json(
                "{\"code\":\"x\",\"env\":{\"A\":\"1\"},\"reconnectSeconds\":60.0,\"answersInput\":true}"));
  }

  @Test
  void aFileThatIsNotThereIsAMistakeOfTheCommandLine() {
    assertThat(cli.run("run", "nosuch.py")).isEqualTo(2);
    assertThat(cli.err()).isEqualTo("atoll: no such file: nosuch.py\n");
  }

  @ParameterizedTest
  @CsvSource({
    "invalid_argument, 2",
    "bad_request, 2",
    "unsupported_language, 2",
    "command_not_found, 127",
    "driver_unavailable, 125"
  })
  void failuresOfAtollAreShortAndTheirExitCodesTellThemApart(String code, int expected) {
    cli.server.on("POST /v1/sandboxes", exchange -> FakeServer.error(exchange, 400, code));
    assertThat(cli.run("run", "-c", "x")).isEqualTo(expected);
    assertThat(cli.err()).isEqualTo("atoll: it is " + code + "\n       do better\n");
  }

  /** Not while a sandbox is made: there it means that the same request is under way. */
  @Test
  void aConflictIsAFailureLikeTheOthers() {
    cli.server.on(
        "POST /v1/sandboxes/sbx_1/code", exchange -> FakeServer.error(exchange, 409, "conflict"));
    assertThat(cli.run("run", "-c", "x")).isEqualTo(125);
    assertThat(cli.err()).isEqualTo("atoll: it is conflict\n       do better\n");
    assertThat(cli.server.targets()).contains(DELETE);
  }

  @Test
  void whatBrokeInsideTheServerCanBeLookedUpThere() {
    cli.server.on("POST /v1/sandboxes", exchange -> FakeServer.error(exchange, 500, "internal"));
    assertThat(cli.run("run", "-c", "x")).isEqualTo(125);
    assertThat(cli.err()).contains("request req_1", "logs/server.log");
  }

  @Test
  void theEndOfARunIsToldByTheNamesOfOptions() {
    cli.code(
        CliHarness.end("memory_limit", 137)
            .replace(
                "\"outputBytes\"", "\"message\":\"with a larger memoryMiB, or\",\"outputBytes\""));
    assertThat(cli.run("run", "-c", "x")).isEqualTo(137);
    assertThat(cli.err()).isEqualTo("atoll: with a larger --memory, or\n");
  }

  @ParameterizedTest
  @CsvSource({"--memory 1, --memory is 1", "--cpus 1000, --cpus is 1000"})
  void limitsAreToldByTheNamesOfOptions(String option, String message) {
    assertThat(cli.run(("run -c x " + option).split(" ", -1))).isEqualTo(2);
    assertThat(cli.err()).contains(message).doesNotContain("MiB");
  }

  @Test
  void theSandboxIsRemovedWhenTheRunFails() {
    cli.server.on(
        "POST /v1/sandboxes/sbx_1/code",
        exchange -> FakeServer.error(exchange, 422, "unsupported_language"));
    cli.server.on(
        "POST /v1/execute", exchange -> FakeServer.error(exchange, 422, "unsupported_language"));
    assertThat(cli.run("run", "-l", "cobol", "-c", "x")).isEqualTo(2);
    assertThat(cli.server.targets()).endsWith(DELETE, "POST /v1/execute");
  }

  @Test
  void aLanguageWithoutAKernelRunsAsAProgram() throws Exception {
    cli.server.on(
        "POST /v1/sandboxes/sbx_1/code",
        exchange -> FakeServer.error(exchange, 422, "unsupported_language"));
    cli.server.on(
        "POST /v1/execute",
        exchange -> {
          FakeServer.lines(
              exchange,
              "{\"type\":\"compiled\",\"compilation\":{\"ok\":true,\"exitCode\":0,"
                  + "\"output\":\"a warning\\n\",\"durationMillis\":1}}",
              "{\"type\":\"started\",\"id\":\"run_1\",\"pid\":2}",
              "{\"type\":\"stdout\",\"offset\":0,\"text\":\"hello\\n\"}",
              CliHarness.end("error", 7));
          exchange.close();
        });
    assertThat(cli.run("run", "-l", "c", "-c", "main")).isEqualTo(7);
    assertThat(cli.out()).isEqualTo("hello\n");
    assertThat(cli.err()).isEqualTo("a warning\n");
    assertThat(cli.run("run", "-l", "c", "-t", "mine", "-c", "main", "--stdin", "-")).isEqualTo(7);
    JsonNode request = Json.lenient().readTree(cli.server.seen().getLast().body());
    assertThat(request.path("language").asString()).isEqualTo("c");
    assertThat(request.path("template").asString()).isEqualTo("mine");
    assertThat(request.has("stdin")).isTrue();
  }

  @Test
  void aRunWhoseOutputNobodyTakesIsCancelled() {
    cli.stdout = new ClosedPipe();
    cli.code("{\"type\":\"stdout\",\"offset\":0,\"text\":\"y\\n\"}");
    // What standard output of the tests is decides whether it was a pipe.
    assertThat(cli.run("run", "-c", "x")).isIn(125, 141);
    assertThat(cli.server.targets()).anyMatch(target -> target.endsWith("/cancel"));
  }
}
