package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class FileUrlCommandsTest {
  private static final String URLS = "/v1/sandboxes/box/files/urls";
  private static final String READ =
      """
      {"url":"http://127.0.0.1:7070/v1/sandboxes/sbx_1/files/signed?path=a&expires=5&signature=s",
       "method":"GET","path":"out/a.csv","expiresAt":"2026-11-15T00:00:00Z"}
      """;

  private final CliHarness cli = new CliHarness();

  @AfterEach
  void stop() {
    cli.close();
  }

  private int run(String line) {
    return cli.run(line.split(" ", -1));
  }

  @Test
  void aUrlToReadIsPrinted() {
    cli.answers("POST " + URLS, 201, READ);
    assertThat(run("files url box:out/a.csv --ttl 10m")).isZero();
    assertThat(cli.out())
        .isEqualTo(
            "http://127.0.0.1:7070/v1/sandboxes/sbx_1/files/signed?path=a&expires=5&signature=s\n");
    assertThat(cli.lastBody())
        .isEqualTo(
            CliHarness.json("{\"method\":\"GET\",\"path\":\"out/a.csv\",\"ttlSeconds\":600.0}"));
  }

  @Test
  void aUrlToWriteIsPrintedAsJson() {
    String write = READ.replace("GET", "PUT");
    cli.answers("POST " + URLS, 201, write);
    assertThat(run("files url box:a.csv --upload --max-bytes 1000 -o json")).isZero();
    assertThat(CliHarness.json(cli.out())).isEqualTo(CliHarness.json(write));
    assertThat(cli.lastBody())
        .isEqualTo(
            CliHarness.json(
                "{\"method\":\"PUT\",\"path\":\"a.csv\",\"ttlSeconds\":3600.0,\"maxBytes\":1000}"));
  }

  @Test
  void allUrlsAreTakenBack() {
    cli.answers("DELETE " + URLS, 204, "");
    assertThat(run("files revoke box")).isZero();
    assertThat(cli.server.targets()).last().isEqualTo("DELETE " + URLS);
  }

  @Test
  void whatMakesNoSenseIsNotSent() {
    assertThat(run("files")).isEqualTo(2);
    assertThat(run("files url ./box")).isEqualTo(2);
    assertThat(cli.err()).contains("'./box' is no file of a sandbox such as lab:data/out.csv");
    assertThat(run("files url box:a --max-bytes 5")).isEqualTo(2);
    assertThat(run("files url box:a/../b")).isNotZero();
    assertThat(cli.server.seen()).isEmpty();
  }
}
