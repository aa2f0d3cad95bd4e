package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceCommandsTest {
  private static final String SERVICE =
      """
      {"id":"svc_1","name":"hello","state":"active","revision":2,"port":8080,"start":"run me",
       "scale":{"min":0,"max":3,"idleSeconds":60.0,"concurrency":10},"access":"private",
       "instances":[{"sandbox":"sbx_7","name":"hello-r2-abc","revision":2,"state":"ready",
       "inFlight":1,"restarts":0},{"sandbox":"sbx_8","name":"hello-r2-def","revision":2,
       "state":"hibernated","inFlight":0,"restarts":0}],"waiting":0,
       "createdAt":"2026-11-15T00:00:00Z","url":"http://svc-1.localhost:7070/"}
      """
          .replace("\n", "");

  private final CliHarness cli = new CliHarness();

  @TempDir Path folder;

  @AfterEach
  void stop() {
    cli.close();
  }

  private int run(String line) {
    return cli.run(line.split(" ", -1));
  }

  @Test
  void aDirectoryIsDeployed() throws IOException {
    Files.writeString(folder.resolve("main.py"), "print()");
    cli.server.on(
        "POST /v1/services",
        exchange ->
            FakeServer.lines(
                exchange,
                "{\"type\":\"progress\",\"message\":\"making a sandbox\"}",
                "{\"type\":\"output\",\"text\":\"begun\"}",
                "{\"type\":\"ready\",\"service\":" + SERVICE + "}"));
    assertThat(
            cli.run(
                "deploy",
                "hello",
                folder.toString(),
                "--start",
                "python3 main.py",
                "--max",
                "3",
                "--health",
                "/up",
                "-e",
                "A=b",
                "--public"))
        .isZero();
    assertThat(cli.out()).isEqualTo("http://svc-1.localhost:7070/\n");
    assertThat(cli.err()).contains("making a sandbox").contains("  begun");
    assertThat(cli.lastBody().toString())
        .contains("\"name\":\"hello\"")
        .contains("\"archive\":")
        .contains("\"max\":3")
        .contains("\"access\":\"public\"")
        .contains("\"A\":\"b\"");
  }

  @Test
  void aFailedDeploymentIsAnError() {
    cli.server.on(
        "POST /v1/services",
        exchange ->
            FakeServer.lines(
                exchange,
                "{\"type\":\"failed\",\"error\":{\"code\":\"deploy_failed\",\"message\":\"it ended\","
                    + "\"requestId\":\"r\",\"details\":{}}}"));
    assertThat(run("deploy hello --start nothing")).isNotZero();
    assertThat(cli.err()).contains("it ended");
  }

  @Test
  void servicesAreListedAndShown() {
    cli.answers("GET /v1/services", 200, "{\"items\":[" + SERVICE + "]}");
    assertThat(run("services")).isZero();
    assertThat(cli.out()).contains("hello").contains("active").contains("http://svc-1.localhost");
    cli.answers("GET /v1/services/hello", 200, SERVICE);
    cli.answers("GET /v1/services/hello/revisions", 200, "{\"items\":[]}");
    assertThat(run("services info hello")).isZero();
    assertThat(cli.out()).contains("0 to 3 instances, 10 requests each, asleep after 60 s");
  }

  @Test
  void logsArePrinted() {
    cli.answers(
        "GET /v1/services/hello/logs",
        200,
        """
        {"type":"following"}
        {"type":"line","line":{"time":"2026-11-15T00:00:00Z","instance":"sbx_7","revision":2,\
        "stream":"stdout","text":"asked"}}
        """);
    assertThat(run("services logs hello --tail 5")).isZero();
    assertThat(cli.out()).isEqualTo("sbx_7 r2 stdout  asked\n");
    assertThat(run("services logs hello -o json")).isZero();
    assertThat(cli.out().lines().skip(1)).hasSize(1).first().asString().startsWith("{\"time\"");
  }

  @Test
  void logsOfAServiceAreFoundByItsNameAlone() {
    cli.server.on(
        "GET /v1/sandboxes/hello/processes",
        exchange -> FakeServer.error(exchange, 404, "sandbox_not_found"));
    cli.answers(
        "GET /v1/services/hello/logs",
        200,
        """
        {"type":"line","line":{"time":"2026-11-15T00:00:00Z","instance":"sbx_7","revision":2,\
        "stream":"stdout","text":"asked"}}
        """);
    assertThat(run("logs hello")).isNotZero();
    cli.answers("GET /v1/services", 200, "{\"items\":[" + SERVICE + "]}");
    assertThat(run("logs hello")).isZero();
    assertThat(cli.out()).isEqualTo("sbx_7 r2 stdout  asked\n");
    assertThat(run("logs hello web")).isNotZero();
  }

  @Test
  void theScaleIsChangedAndServicesAreRemoved() {
    cli.answers("PATCH /v1/services/hello", 200, SERVICE);
    assertThat(run("services update hello --min 1 --idle 5m")).isZero();
    assertThat(cli.lastBody().toString()).contains("\"min\":1").contains("\"idleSeconds\":300.0");
    assertThat(run("services update hello")).isEqualTo(2);
    cli.answers("POST /v1/services/hello/rollback", 200, SERVICE);
    assertThat(run("services rollback hello")).isZero();
    assertThat(cli.out()).contains("revision 2 serves");
    cli.server.on("DELETE /v1/services/hello", exchange -> FakeServer.answer(exchange, 204, ""));
    assertThat(run("services rm hello")).isZero();
  }

  @Test
  void servicesAreStopped() {
    cli.answers("GET /v1/services", 200, "{\"items\":[" + SERVICE + "]}");
    cli.answers("POST /v1/services/hello/stop", 200, SERVICE);
    cli.answers("POST /v1/services/svc_1/stop", 200, SERVICE);
    assertThat(run("services stop hello")).isZero();
    assertThat(run("services stop --all")).isZero();
    assertThat(run("services stop")).isEqualTo(2);
    assertThat(run("services stop other")).isNotZero();
  }

  @Test
  void removingAllLeavesTheSandboxesOfServices() {
    cli.answers("GET /v1/services", 200, "{\"items\":[" + SERVICE + "]}");
    cli.answers(
        "GET /v1/sandboxes",
        200,
        "{\"items\":["
            + CliHarness.SANDBOX
            + ","
            + CliHarness.SANDBOX.replace("sbx_1", "sbx_7")
            + "]}");
    assertThat(run("rm --all --force")).isZero();
  }
}
