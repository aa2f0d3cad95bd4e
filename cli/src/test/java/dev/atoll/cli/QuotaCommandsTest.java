package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class QuotaCommandsTest {
  private static final String INFO =
      """
      {"project":"red","own":{"sandboxes":2,"cpus":4.0},"quotas":[
       {"name":"sandboxes","limit":2.0,"own":true,"used":1.0,"kinds":{"sandbox":1.0},
        "users":[{"kind":"sandbox","id":"sbx_1","name":"web","amount":1.0}]},
       {"name":"memory","limit":4096.0,"own":false,"used":1536.0,"kinds":{"pool":512.0,"sandbox":1024.0},
        "users":[{"kind":"sandbox","id":"sbx_1","name":"web","amount":1024.0},
                 {"kind":"pool","id":"sbx_2","amount":512.0}]},
       {"name":"cpus","limit":4.0,"own":true,"used":2.5,"kinds":{},"users":[]},
       {"name":"disk","own":false,"used":0.0,"kinds":{},"users":[]}]}
      """;

  private final CliHarness cli = new CliHarness();

  @AfterEach
  void stop() {
    cli.close();
  }

  private int run(String command) {
    return cli.run(command.split(" "));
  }

  @Test
  void whatTheOwnProjectMayHaveIsShown() {
    cli.answers("GET /v1/quota", 200, INFO);
    assertThat(run("quota show")).isZero();
    assertThat(cli.out())
        .isEqualTo(
            """
            QUOTA      USED     LIMIT      SET FOR  MOST OF IT BY
            sandboxes  1        2          red      sandbox web (1)
            memory     1.5 GiB  4.0 GiB    all      sandbox web (1.0 GiB), pool sbx_2 (512 MiB)
            cpus       2.5      4          red
            disk       0 B      unlimited  all
            """);
  }

  @Test
  void allProjectsAreListedAndShownAsJson() {
    cli.answers("GET /v1/quotas", 200, "{\"items\":[" + INFO + "]}");
    cli.answers("GET /v1/projects/red/quota", 200, INFO);
    assertThat(run("quota ls")).isZero();
    assertThat(cli.out()).contains("PROJECT").contains("red").contains("1.5 GiB of 4.0 GiB");
    assertThat(run("quota show red -o json")).isZero();
    assertThat(cli.out()).contains("\"sbx_2\"");
  }

  @Test
  void whatIsNotGivenStays() {
    cli.answers("GET /v1/projects/red/quota", 200, INFO);
    cli.answers("PUT /v1/projects/red/quota", 200, INFO);
    assertThat(
            run(
                "quota set red --memory 2g --cpus default --disk unlimited --requests-per-second 5"))
        .isZero();
    assertThat(cli.lastBody())
        .isEqualTo(
            CliHarness.json(
                "{\"sandboxes\":2,\"memoryMiB\":2048,\"diskMiB\":-1,\"requestsPerSecond\":5.0}"));
  }

  @Test
  void whatIsSetCanBeTakenBack() {
    cli.answers("DELETE /v1/projects/red/quota", 200, INFO);
    assertThat(run("quota clear red")).isZero();
    assertThat(cli.out()).isEmpty();
  }

  @Test
  void whatMakesNoSenseIsSaid() {
    cli.answers("GET /v1/projects/red/quota", 200, INFO);
    assertThat(run("quota set red")).isEqualTo(ExitCode.USAGE);
    assertThat(run("quota set red --sandboxes many")).isEqualTo(ExitCode.USAGE);
    assertThat(cli.err()).contains("--sandboxes is a number, unlimited or default; not many");
    assertThat(run("quota")).isEqualTo(ExitCode.USAGE);
  }
}
