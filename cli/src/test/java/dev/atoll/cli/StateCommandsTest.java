package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StateCommandsTest {
  private final CliHarness cli = new CliHarness();

  @AfterEach
  void stop() {
    cli.close();
  }

  @Test
  void aForkPrintsItsChildrenOnePerLine() {
    String second = CliHarness.SANDBOX.replace("sbx_1", "sbx_2");
    cli.answers(
        "POST /v1/sandboxes/box/fork",
        201,
        "{\"prepared\":true,\"children\":[" + CliHarness.SANDBOX + "," + second + "]}");
    assertThat(cli.run("fork", "box", "-n", "2", "--ttl", "1m", "-m", "try=1")).isZero();
    assertThat(cli.out()).isEqualTo("sbx_1\nsbx_2\n");
    assertThat(cli.lastBody())
        .isEqualTo(
            CliHarness.json("{\"count\":2,\"metadata\":{\"try\":\"1\"},\"ttlSeconds\":60.0}"));
    cli.run("fork", "box");
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{\"count\":1,\"metadata\":{}}"));
    assertThat(cli.server.targets()).doesNotContain("DELETE /v1/sandboxes/sbx_1");
  }

  @Test
  void aMergeDestroysOthersOnlyWhenTold() {
    cli.answers("POST /v1/sandboxes/box/merge", 200, CliHarness.SANDBOX);
    assertThat(cli.run("merge", "box", "best")).isZero();
    assertThat(cli.lastBody())
        .isEqualTo(CliHarness.json("{\"winner\":\"best\",\"destroyLosers\":false}"));
    assertThat(cli.run("merge", "box", "best", "--destroy-others", "-o", "json")).isZero();
    assertThat(cli.lastBody())
        .isEqualTo(CliHarness.json("{\"winner\":\"best\",\"destroyLosers\":true}"));
    assertThat(CliHarness.json(cli.out()).get("id").asString()).isEqualTo("sbx_1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rewind box | {\"steps\":1}",
        "rewind box --steps 3 | {\"steps\":3}",
        "rewind box --to base | {\"to\":\"base\"}"
      })
  void aRewindGoesByStepsOrToASnapshot(String line, String body) {
    cli.answers("GET /v1/sandboxes/box", 200, CliHarness.SANDBOX);
    cli.answers("POST /v1/sandboxes/box/rewind", 200, CliHarness.SANDBOX);
    assertThat(cli.run(line.split(" ", -1))).isZero();
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json(body));
  }

  @ParameterizedTest
  @ValueSource(strings = {"hibernate", "wake"})
  void hibernatingAndWakingSayNothing(String command) {
    cli.answers("POST /v1/sandboxes/box/" + command, 200, CliHarness.SANDBOX);
    assertThat(cli.run(command, "box")).isZero();
    assertThat(cli.out()).isEmpty();
    assertThat(cli.server.targets()).containsExactly("POST /v1/sandboxes/box/" + command);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "create --from base lab | {\"name\":\"lab\",\"snapshot\":\"base\"}",
        "create --on-idle hibernate --idle-timeout 5m"
            + "| {\"idleTimeoutSeconds\":300.0,\"onIdle\":\"hibernate\"}",
        "create --checkpoints lab"
            + "| {\"name\":\"lab\",\"checkpoints\":{\"everyRun\":true,\"keep\":10}}",
        "create --checkpoints=3 --fork-ahead 2"
            + "| {\"checkpoints\":{\"everyRun\":true,\"keep\":3},\"forkAhead\":2}",
        "create --persistent --ttl 1m -m a=b"
            + "| {\"persistent\":true,\"ttlSeconds\":60.0,\"metadata\":{\"a\":\"b\"}}"
      })
  void optionsOfStateBecomeTheSpec(String line, String body) {
    assertThat(cli.run(line.split(" ", -1))).isZero();
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json(body));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--on-idle terminate | {\"onIdle\":\"terminate\"}",
        "--checkpoints=off | {\"checkpoints\":{\"everyRun\":false,\"keep\":10}}",
        "--fork-ahead 0 | {\"forkAhead\":0}"
      })
  void anUpdateChangesWhatIsKept(String options, String body) {
    cli.answers("PATCH /v1/sandboxes/box", 200, CliHarness.SANDBOX);
    assertThat(cli.run(("update box " + options).split(" ", -1))).isZero();
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json(body));
  }

  @Test
  void aRunStartsFromASnapshotAndLeavesNothing() {
    cli.code(CliHarness.end("ok", 0));
    assertThat(cli.run("run", "--from", "base", "-c", "x")).isZero();
    assertThat(cli.server.seen().get(0).body()).isEqualTo("{\"snapshot\":\"base\"}");
    assertThat(cli.server.targets()).last().isEqualTo("DELETE /v1/sandboxes/sbx_1");
  }

  @Test
  void infoShowsWhereASandboxComesFromAndDoesNotWakeIt() {
    cli.answers(
        "GET /v1/sandboxes/box",
        200,
        CliHarness.SANDBOX
            .replace("\"running\"", "\"hibernated\"")
            .replace(
                "\"persistent\":false",
                """
                "persistent":false,"onIdle":"hibernate","idleTimeoutSeconds":300,"parent":"sbx_0",
                "checkpoints":{"everyRun":true,"keep":3},"snapshot":"snp_1","pool":"pool_1"
                """));
    assertThat(cli.run("info", "box")).isZero();
    assertThat(cli.out())
        .containsPattern("state +hibernated")
        .containsPattern("on idle +hibernate after 300 s")
        .containsPattern("checkpoints +every run, the last 3")
        .containsPattern("parent +sbx_0")
        .containsPattern("snapshot +snp_1")
        .containsPattern("pool +pool_1");
    assertThat(cli.server.targets()).containsExactly("GET /v1/sandboxes/box");
  }
}
