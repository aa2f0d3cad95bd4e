package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.sdk.Atoll;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The Model Context Protocol with real sandboxes: by the official client over both transports, and
 * by those scenarios of the official conformance suite that want nothing but what this server has.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class McpIT {
  private McpClients clients;
  private RealServer server;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    clients = McpClients.install();
    server = new RealServer("--mcp.session-idle=20m");
    atoll = server.atoll();
  }

  @AfterAll
  void stop() throws IOException {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void theOfficialClientDrivesASessionOverHttp() throws Exception {
    session(List.of(atoll.endpoint().url() + "/mcp"));
  }

  @Test
  void theOfficialClientDrivesASessionOverStandardInputAndOutput() throws Exception {
    Path cli = Path.of("../cli/target").toAbsolutePath().normalize();
    String classes = cli.resolve("classes") + File.pathSeparator + cli.resolve("lib/*");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    session(List.of(java, "-cp", classes, "dev.atoll.cli.Main", "mcp"));
  }

  private void session(List<String> target) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("session.mjs"));
    arguments.addAll(target);
    Map<String, String> environment =
        Map.of("ATOLL_HOME", server.home().toString(), "ATOLL_API_KEY", atoll.endpoint().apiKey());
    McpClients.Outcome outcome = clients.node(arguments, environment);
    assertThat(outcome.status()).as(outcome.output()).isZero();
    assertThat(outcome.output()).contains("sbx_");
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(atoll.sandboxes().list().stream()).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "server-initialize",
        "ping",
        "logging-set-level",
        "tools-list",
        "resources-list",
        "server-sse-multiple-streams",
        "dns-rebinding-protection"
      })
  void aScenarioOfTheConformanceSuitePasses(String scenario) throws Exception {
    McpClients.Outcome outcome =
        clients.conformance(
            atoll.endpoint().url(), atoll.endpoint().apiKey(), "--scenario", scenario);
    assertThat(outcome.status()).as(outcome.output()).isZero();
  }
}
