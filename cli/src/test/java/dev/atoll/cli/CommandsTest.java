package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class CommandsTest {
  private static final String SERVER =
      """
      {"version":"0.1.0","pid":5,"startedAt":"2026-11-15T00:00:00Z","templates":
       [{"name":"python","digest":"d","state":"ready"}],"drivers":[
       {"name":"gvisor","isolation":"gvisor","available":true,"version":"1","checks":["runsc runs"]},
       {"name":"microvm","isolation":"microvm","available":false,"version":"","checks":["no kvm"],
        "advice":"enable KVM"}]}
      """;
  private static final String PROCESS =
      "{\"id\":\"run_9\",\"pid\":7,\"name\":\"web\",\"command\":[\"cat\",\"-\"],\"pty\":false,\"running\":true,\"startedAt\":\"2026-11-15T00:00:00Z\",\"outputBytes\":3}";

  private final CliHarness cli = new CliHarness();

  @AfterEach
  void stop() {
    cli.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense",
        "run --timeout soon -c x",
        "run -c x file",
        "run --memory lots -c x",
        "ls --unknown",
        "ls --output yaml",
        "rm",
        "rm --all",
        "exec box",
        "cp a b",
        "cp a:b c:d",
        "cp /nonexistent box:/x",
        "shell",
        "completion tcsh",
        "update box",
        "key",
        "create --on-idle sleep",
        "create --checkpoints=some",
        "create --template python --from base",
        "run --template python --from base -c x",
        "rewind box --to base --steps 2",
        "snapshot",
        "snapshot rm",
        "snapshot export base",
        "fork box -n many",
        "merge box",
        "diff box",
        "pool",
        "pool create --warm 3",
        "pool update workers",
        "space",
        ""
      })
  void usageErrorsExitWith2AndSayWhy(String line) {
    cli.server.on(
        "GET /v1/sandboxes",
        exchange -> FakeServer.answer(exchange, 200, "{\"items\":[" + CliHarness.SANDBOX + "]}"));
    String[] args = line.isEmpty() ? new String[0] : line.split(" ", -1);
    assertThat(cli.run(args)).isEqualTo(2);
    assertThat(cli.err()).startsWith("atoll: ").doesNotContain("Exception", "\tat ");
    assertThat(cli.out()).isEmpty();
  }

  @Test
  void listsAsTableAsNamesAndAsJson() {
    cli.server.on(
        "GET /v1/sandboxes",
        exchange -> FakeServer.answer(exchange, 200, "{\"items\":[" + CliHarness.SANDBOX + "]}"));
    assertThat(cli.run("ls")).isZero();
    assertThat(cli.out()).startsWith("ID     NAME  STATE").contains("sbx_1  box   running  python");
    assertThat(cli.out()).doesNotContain("\u001b");
    cli.run("ls", "-q");
    assertThat(cli.out()).endsWith("\nbox\n");
    int before = cli.out().length();
    cli.run("ls", "-a", "--output", "json");
    assertThat(Json.strict().readTree(cli.out().substring(before)).get(0).get("id").asString())
        .isEqualTo("sbx_1");
    assertThat(cli.server.targets()).last().asString().endsWith("all=true");
  }

  @Test
  void removesSeveralAndReportsTheMissing() {
    cli.server.on(
        "DELETE /v1/sandboxes/gone",
        exchange -> FakeServer.error(exchange, 404, "sandbox_not_found"));
    assertThat(cli.run("rm", "sbx_1", "gone")).isEqualTo(125);
    assertThat(cli.run("rm", "--force", "gone")).isZero();
    assertThat(cli.run("--output", "json", "rm", "sbx_1", "gone")).isEqualTo(125);
    assertThat(Json.strict().readTree(cli.out()))
        .isEqualTo(CliHarness.json("{\"removed\":[\"sbx_1\"],\"missing\":[\"gone\"]}"));
  }

  @Test
  void removingAllAsksFirst() {
    cli.server.on(
        "GET /v1/sandboxes",
        exchange -> FakeServer.answer(exchange, 200, "{\"items\":[" + CliHarness.SANDBOX + "]}"));
    cli.terminal = true;
    cli.stdin = "n\n";
    assertThat(cli.run("rm", "--all")).isEqualTo(1);
    assertThat(cli.server.targets()).doesNotContain("DELETE /v1/sandboxes/sbx_1");
    cli.stdin = "y\n";
    assertThat(cli.run("rm", "--all")).isZero();
    assertThat(cli.server.targets()).contains("DELETE /v1/sandboxes/sbx_1");
  }

  @Test
  void statusAndDoctorOfARunningServer() {
    cli.server.on("GET /v1/server", exchange -> FakeServer.answer(exchange, 200, SERVER));
    assertThat(cli.run("status", "--output", "json")).isZero();
    assertThat(Json.strict().readTree(cli.out()).get("running").asBoolean()).isTrue();
    assertThat(cli.run("doctor")).isZero();
    assertThat(cli.out()).contains("ok  gvisor", "not microvm", "    no kvm", "→ enable KVM");
    assertThat(cli.server.targets()).last().isEqualTo("GET /v1/server?fresh=true");
  }

  @Test
  void statusWithoutAServerExitsWith3() {
    cli.environment.clear();
    cli.environment.put("ATOLL_HOME", "/nonexistent");
    assertThat(cli.run("status", "--output", "json")).isEqualTo(3);
    assertThat(Json.strict().readTree(cli.out()).get("running").asBoolean()).isFalse();
    assertThat(cli.run("doctor")).isEqualTo(3);
    assertThat(cli.out()).contains("not server: no Atoll server is running", "→ start it");
    assertThat(cli.run("ls")).isEqualTo(125);
    assertThat(cli.err()).contains("no Atoll server is running", "./atoll up");
  }

  @Test
  void theLauncherIsAskedToStartTheServer(@TempDir Path home) throws Exception {
    Path launcher = home.resolve("launcher");
    Path key = Files.writeString(home.resolve("key"), "k");
    Files.writeString(
        launcher,
        """
        #!/bin/sh
        [ "$*" = "up --quiet" ] || exit 9
        mkdir -p %1$s/run
        echo '{"url":"%2$s","pid":1,"version":"0","adminKeyFile":"%3$s"}' > %1$s/run/server.json
        """
            .formatted(home, cli.server.url(), key));
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    cli.environment.clear();
    cli.environment.put("ATOLL_HOME", home.toString());
    cli.environment.put("ATOLL_LAUNCHER", launcher.toString());
    cli.code(CliHarness.end("ok", 0));
    assertThat(cli.run("run", "-c", "1")).isZero();
    assertThat(cli.err()).isEqualTo("atoll: starting the server …\n");
  }

  @Test
  void execPassesInputOnAndTheExitCodeBack() {
    String endOfInput = "POST /v1/sandboxes/box/processes/run_9/stdin?eof=true";
    cli.server.on(
        "POST /v1/sandboxes/box/processes", exchange -> FakeServer.answer(exchange, 201, PROCESS));
    cli.server.on(
        "POST /v1/sandboxes/box/processes/run_9/stdin",
        exchange -> FakeServer.answer(exchange, 204, ""));
    cli.server.on(
        "DELETE /v1/sandboxes/box/processes/run_9",
        exchange -> FakeServer.answer(exchange, 204, ""));
    cli.server.on(
        "GET /v1/sandboxes/box/runs/run_9/events",
        exchange -> {
          // A program that reads to the end of its input, however long that takes to come.
          for (int i = 0; i < 2000 && !cli.server.targets().contains(endOfInput); i++) {
            LockSupport.parkNanos(10_000_000);
          }
          FakeServer.lines(
              exchange,
              "{\"type\":\"stdout\",\"offset\":0,\"text\":\"abc\"}",
              CliHarness.end("error", 7));
          exchange.close();
        });
    cli.stdin = "typed";
    assertThat(cli.run("exec", "box", "--", "cat", "-n")).isEqualTo(7);
    assertThat(cli.out()).isEqualTo("abc");
    assertThat(cli.server.seen().get(0).body())
        .isEqualTo("{\"argv\":[\"cat\",\"-n\"],\"openStdin\":true,\"reconnectSeconds\":60.0}");
    assertThat(cli.server.seen().stream().map(FakeServer.Seen::body)).contains("typed");
    assertThat(cli.server.targets()).contains(endOfInput);
  }

  @Test
  void logsStopAtWhatIsThereUnlessTheyFollow() {
    cli.server.on(
        "GET /v1/sandboxes/box/processes",
        exchange -> FakeServer.answer(exchange, 200, "{\"items\":[" + PROCESS + "]}"));
    cli.server.on(
        "GET /v1/sandboxes/box/runs/run_9/events",
        exchange ->
            FakeServer.lines(exchange, "{\"type\":\"stdout\",\"offset\":0,\"text\":\"abc\"}"));
    assertThat(cli.run("logs", "box", "web")).isZero();
    assertThat(cli.out()).isEqualTo("abc");
    assertThat(cli.run("logs", "box", "other")).isEqualTo(2);
    int before = cli.out().length();
    assertThat(cli.run("logs", "-o", "json", "box", "web")).isZero();
    JsonNode logs = Json.strict().readTree(cli.out().substring(before));
    assertThat(logs.get("stdout").asString()).isEqualTo("abc");
    assertThat(logs.get("running").asBoolean()).isTrue();
  }

  @Test
  void copiesIntoADirectoryUnderTheFilesName(@TempDir Path temp) throws Exception {
    String entry =
        "{\"path\":\"/d\",\"kind\":\"%s\",\"size\":1,\"mode\":\"0755\",\"modifiedAt\":\"2026-11-15T00:00:00Z\",\"owner\":\"sandbox\"}";
    cli.server.on(
        "GET /v1/sandboxes/box/files/stat",
        exchange -> {
          boolean directory = exchange.getRequestURI().getQuery().endsWith("path=/d");
          FakeServer.answer(exchange, 200, entry.replace("%s", directory ? "directory" : "file"));
        });
    cli.server.on(
        "PUT /v1/sandboxes/box/files",
        exchange -> FakeServer.answer(exchange, 200, entry.replace("%s", "file")));
    cli.server.on(
        "GET /v1/sandboxes/box/files", exchange -> FakeServer.answer(exchange, 200, "remote"));
    Path file = Files.writeString(temp.resolve("a.txt"), "local");
    assertThat(cli.run("cp", file.toString(), "box:/d")).isZero();
    assertThat(cli.server.targets()).last().asString().contains("path=%2Fd%2Fa.txt");
    assertThat(cli.run("cp", "box:/f/b.txt", temp.toString())).isZero();
    assertThat(temp.resolve("b.txt")).hasContent("remote");
    assertThat(cli.run("cp", "box:/f/b.txt", "-")).isZero();
    assertThat(cli.out()).isEqualTo("remote");
  }

  @Test
  void theOutputsFormMayStandInFront() {
    assertThat(cli.run("-o", "json", "snapshot", "--help")).isEqualTo(2);
    assertThat(cli.err()).contains("atoll snapshot has no JSON output");
    assertThat(cli.run("--output=json", "ls")).isZero();
    assertThat(Json.strict().readTree(cli.out()).isEmpty()).isTrue();
  }

  @Test
  void whatDoesNotExistIsToldWithWhatIsNear() {
    assertThat(cli.run("snapshto")).isEqualTo(2);
    assertThat(cli.err()).contains("atoll has no command snapshto", "did you mean snapshot");
    assertThat(cli.run("help", "forks")).isEqualTo(2);
    assertThat(cli.err()).contains("atoll has no command forks", "did you mean fork");
    assertThat(cli.run("pool", "clam")).isEqualTo(2);
    assertThat(cli.err()).contains("atoll pool has no command clam", "did you mean claim");
    assertThat(cli.run("create", "--memroy", "1")).isEqualTo(2);
    assertThat(cli.err()).contains("atoll create has no option --memroy", "--memory");
    assertThat(cli.run("ls", "box")).isEqualTo(2);
    assertThat(cli.err()).contains("atoll ls has no room for box");
    assertThat(cli.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "rnu, run",
    "lst, ls",
    "stop, pause",
    "start, resume",
    "commit, snapshot create",
    "spawn, create",
    "creat, create",
    "hib, hibernate",
    "templtes, templates"
  })
  void aSlipOrAnotherToolsWordIsAnsweredWithTheCommand(String word, String command) {
    assertThat(cli.run(word)).isEqualTo(2);
    assertThat(cli.err()).contains("did you mean " + command + "? See atoll help");
  }

  @Test
  void whatIsNearNothingIsNotGuessed() {
    assertThat(cli.run("xyzzy")).isEqualTo(2);
    assertThat(cli.err()).contains("atoll has no command xyzzy").doesNotContain("did you mean");
  }

  @ParameterizedTest
  @ValueSource(strings = {"list", "snapshot list", "-o json list", "key list", "template list"})
  void theWordsOfOtherToolsListToo(String words) {
    cli.answers("GET /v1/snapshots", 200, "{\"items\":[]}");
    cli.answers("GET /v1/keys", 200, "{\"items\":[]}");
    cli.answers("GET /v1/templates", 200, "{\"items\":[]}");
    assertThat(cli.run(words.split(" ", -1))).as(cli.err()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"delete", "remove", "rm"})
  void theWordsOfOtherToolsRemoveToo(String word) {
    assertThat(cli.run(word, "sbx_1")).isZero();
    assertThat(cli.server.targets()).contains("DELETE /v1/sandboxes/sbx_1");
    assertThat(cli.run("help", word)).isZero();
    assertThat(cli.out()).contains("Usage: atoll rm");
  }

  @Test
  void optionsOfTheProgramGoAfterTwoDashes() {
    assertThat(cli.run("exec", "box", "ls", "-l", "a b")).isEqualTo(2);
    assertThat(cli.err()).contains("goes after --: atoll exec box -- ls -l 'a b'. See");
    assertThat(cli.run("exec", "box", "--workdri", "/", "--", "ls", "-l")).isEqualTo(2);
    assertThat(cli.err()).contains("atoll exec has no option --workdri", "did you mean --workdir");
  }

  @Test
  void aWrongKeyIsNamedByItsVariable() {
    cli.server.on(
        "GET /v1/sandboxes", exchange -> FakeServer.error(exchange, 401, "unauthenticated"));
    assertThat(cli.run("ls")).isEqualTo(125);
    assertThat(cli.err()).contains("does not know the key in ATOLL_API_KEY");
  }

  @ParameterizedTest
  @CsvSource({
    "true, terminate, 60, stays",
    "true, terminate, null, stays",
    "true, hibernate, 60, hibernate after 60 s",
    "false, terminate, 60, terminate after 60 s"
  })
  void infoSaysWhatIdlenessDoes(boolean persistent, String onIdle, String seconds, String said) {
    String sandbox =
        CliHarness.SANDBOX
            .replace("\"persistent\":false", "\"persistent\":" + persistent)
            .replace(
                "\"id\"",
                "\"onIdle\":\"%s\",\"idleTimeoutSeconds\":%s,\"id\"".formatted(onIdle, seconds));
    cli.answers("GET /v1/sandboxes/box", 200, sandbox);
    cli.answers("GET /v1/sandboxes/box/stats", 200, "{}");
    cli.run("info", "box");
    assertThat(cli.out().lines().filter(line -> line.startsWith("on idle")))
        .containsExactly("on idle     " + said);
  }

  @Test
  void helpTellsOfOneCommandOfASubcommandAndOfTheLaunchers() {
    assertThat(cli.run("help", "fork")).isZero();
    assertThat(cli.out()).contains("Usage: atoll fork", "--count");
    assertThat(cli.run("help", "snapshot", "export")).isZero();
    assertThat(cli.out()).contains("Usage: atoll snapshot export");
    assertThat(cli.run("help", "down")).isZero();
    assertThat(cli.out()).contains("Usage: atoll down", "--all");
    assertThat(cli.run("down")).isEqualTo(2);
  }

  @Test
  void keysAreTakenBackByIdOrByAUniqueName() {
    String key =
        "{\"id\":\"%s\",\"name\":\"%s\",\"project\":\"default\",\"prefix\":\"e2b_\",\"createdAt\":\"2026-11-15T00:00:00Z\"}";
    String keys =
        String.join(
            ",",
            key.formatted("key_1", "ci"),
            key.formatted("key_2", "x"),
            key.formatted("key_3", "x"));
    cli.answers("GET /v1/keys", 200, "{\"items\":[" + keys + "]}");
    cli.answers("DELETE /v1/keys/key_1", 204, "");
    assertThat(cli.run("key", "rm", "ci")).isZero();
    assertThat(cli.server.targets()).contains("DELETE /v1/keys/key_1");
    assertThat(cli.run("key", "rm", "x")).isEqualTo(2);
    assertThat(cli.err()).contains("several keys", "key_2, key_3");
  }

  @Test
  void theFirstUseOfATemplateShowsWhatIsDoneWithoutATerminalToo() {
    String template = "{\"name\":\"python\",\"digest\":\"d\",\"state\":\"%s\"}";
    cli.answers("GET /v1/templates/python", 200, template.formatted("building"));
    cli.server.on(
        "POST /v1/templates/python/build",
        exchange -> {
          FakeServer.lines(exchange, "{\"type\":\"progress\",\"message\":\"installing\"}");
          FakeServer.lines(
              exchange,
              "{\"type\":\"ready\",\"template\":%s}".formatted(template.formatted("ready")));
          exchange.close();
        });
    cli.server.on(
        "POST /v1/sandboxes",
        exchange -> {
          for (int i = 0; i < 2000 && !cli.err().contains("installing"); i++) {
            LockSupport.parkNanos(10_000_000);
          }
          FakeServer.answer(exchange, 201, CliHarness.SANDBOX);
        });
    assertThat(cli.run("create")).isZero();
    assertThat(cli.err())
        .contains(
            "atoll: building template python: begun\n",
            "atoll: building template python: installing\n");
    assertThat(cli.out()).isEqualTo("sbx_1\n");
  }

  @Test
  void helpListsEveryCommand() {
    assertThat(cli.run("--help")).isZero();
    assertThat(cli.out()).contains("run ", "exec", "completion", "template");
    assertThat(cli.run("--version")).isZero();
    assertThat(cli.out()).endsWith("atoll 0.1.0\n");
  }
}
