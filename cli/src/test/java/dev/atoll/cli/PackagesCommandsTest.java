package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PackagesCommandsTest {
  private final CliHarness cli = new CliHarness();

  @AfterEach
  void stop() {
    cli.close();
  }

  private void answers(String... events) {
    cli.server.on(
        "POST /v1/sandboxes/box/packages",
        exchange -> {
          FakeServer.lines(exchange, CliHarness.STARTED);
          FakeServer.lines(exchange, events);
          exchange.close();
        });
  }

  @Test
  void packagesAreInstalledAndTheOutputIsShown() {
    answers(
        "{\"type\":\"stdout\",\"offset\":0,\"text\":\"Collecting a\\n\"}",
        "{\"type\":\"packages\",\"manager\":\"npm\",\"installed\":[]}",
        CliHarness.end("ok", 0));
    assertThat(cli.run("packages", "install", "box", "a@1", "b", "--manager", "npm")).isZero();
    assertThat(cli.out()).isEqualTo("Collecting a\n");
    assertThat(cli.lastBody())
        .isEqualTo(CliHarness.json("{\"manager\":\"npm\",\"packages\":[\"a@1\",\"b\"]}"));
  }

  @Test
  void aFailureIsToldWithWhatToDo() {
    answers(
        """
        {"type":"packages","manager":"pip","installed":[],"failure":{"code":"package_not_found",\
        "name":"nope","message":"pip: nope: there is none","hint":"check the spelling","log":[]}}\
        """,
        CliHarness.end("error", 1));
    assertThat(cli.run("packages", "install", "box", "nope")).isEqualTo(1);
    assertThat(cli.err()).contains("pip: nope: there is none").contains("check the spelling");
  }

  @Test
  void theListIsATableOrJson() {
    cli.answers(
        "GET /v1/sandboxes/box/packages", 200, "{\"items\":[{\"name\":\"a\",\"version\":\"1\"}]}");
    assertThat(cli.run("packages", "ls", "box")).isZero();
    assertThat(cli.out()).isEqualTo("NAME  VERSION\na     1\n");
  }

  @Test
  void anUnknownManagerIsAMistake() {
    assertThat(cli.run("packages", "install", "box", "a", "-m", "brew")).isEqualTo(2);
    assertThat(cli.err()).contains("is not pip, npm, apt, gem or cargo");
  }
}
