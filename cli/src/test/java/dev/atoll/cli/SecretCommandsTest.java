package dev.atoll.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretCommandsTest {
  private static final String VALUE = "0123456789-value";
  private static final String INFO =
      """
      {"name":"key","domains":["a.test:443","*.b.test:443"],"header":"X-Key: {value}","env":"KEY",
       "placeholder":"atoll-secret-1","createdAt":"2026-11-15T00:00:00Z",
       "changedAt":"2026-11-15T00:00:00Z"}
      """;

  @TempDir Path folder;
  private final CliHarness cli = new CliHarness();

  @AfterEach
  void stop() {
    cli.close();
  }

  @Test
  void theValueComesFromStandardInput() {
    cli.answers("PUT /v1/secrets/key", 200, INFO);
    cli.stdin = VALUE + "\n";
    assertThat(
            cli.run(
                "secret",
                "set",
                "key",
                "--domain",
                "a.test",
                "--domain",
                "*.b.test:8443",
                "--header",
                "Authorization: Bearer {value}",
                "--env",
                "KEY"))
        .as(cli.err())
        .isZero();
    assertThat(cli.lastBody())
        .isEqualTo(
            CliHarness.json(
                """
                {"value":"0123456789-value","domains":["a.test:443","*.b.test:8443"],
                 "header":"Authorization: Bearer {value}","env":"KEY"}
                """));
    assertThat(cli.out()).isEmpty();
  }

  @Test
  void orFromAVariableOrAFileOrStays() throws IOException {
    cli.answers("PUT /v1/secrets/key", 200, INFO);
    cli.environment.put("MINE", VALUE);
    assertThat(run("secret set key --from-env MINE")).isZero();
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{\"value\":\"" + VALUE + "\"}"));
    Path file = Files.writeString(folder.resolve("value"), "from-a-file\r\n");
    assertThat(run("secret set key --from-file " + file)).isZero();
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{\"value\":\"from-a-file\"}"));
    assertThat(run("secret set key --keep-value --env K")).isZero();
    assertThat(cli.lastBody()).isEqualTo(CliHarness.json("{\"env\":\"K\"}"));
    assertThat(run("secret set key --from-env MINE --replace-in path --domain http://a.test:8080"))
        .isZero();
    assertThat(cli.lastBody())
        .isEqualTo(
            CliHarness.json(
                "{\"value\":\""
                    + VALUE
                    + "\",\"domains\":[\"http://a.test:8080\"],\"replaceIn\":[\"path\"]}"));
  }

  @Test
  void whatIsMissingOrTooMuchIsSaid() {
    assertThat(run("secret set key --from-env NOWHERE")).isNotZero();
    assertThat(cli.err()).contains("there is no variable NOWHERE");
    assertThat(run("secret set key --keep-value --from-env A")).isNotZero();
    assertThat(cli.err()).contains("one of --from-env, --from-file and --keep-value");
    cli.stdin = "short\n";
    assertThat(run("secret set key --domain a.test")).isNotZero();
    assertThat(cli.err()).contains("8 to 16384 characters");
    assertThat(cli.server.seen()).isEmpty();
  }

  @Test
  void secretsAreListedShownAndRemoved() {
    cli.answers("GET /v1/secrets", 200, "{\"items\":[" + INFO + "]}");
    cli.answers("GET /v1/secrets/key", 200, INFO);
    cli.answers("DELETE /v1/secrets/key", 204, "");
    assertThat(run("secret ls")).isZero();
    assertThat(cli.out())
        .startsWith("NAME ")
        .contains("a.test:443 *.b.test:443", "KEY", "X-Key: {value}");
    assertThat(run("secret show key")).isZero();
    assertThat(cli.out()).contains("placeholder  atoll-secret-1");
    assertThat(run("secret rm key")).isZero();
    assertThat(cli.server.targets()).last().asString().contains("/v1/secrets/key");
  }

  @Test
  void aSandboxIsGivenItsSecrets() {
    cli.answers("PATCH /v1/sandboxes/sbx_1", 200, CliHarness.SANDBOX);
    assertThat(run("create --secret a --secret b")).isZero();
    assertThat(cli.lastBody().get("secrets").toString()).isEqualTo("[\"a\",\"b\"]");
    assertThat(cli.run("update", "sbx_1", "--secret", "")).as(cli.err()).isZero();
    assertThat(cli.lastBody().get("secrets").toString()).isEqualTo("[]");
  }

  @Test
  void completionKnowsThem() {
    assertThat(run("completion fish")).isZero();
    assertThat(cli.out()).contains("-a secret ").contains("'__atoll_ends secret' -a set ");
  }

  private int run(String line) {
    return cli.run(line.split(" ", -1));
  }
}
