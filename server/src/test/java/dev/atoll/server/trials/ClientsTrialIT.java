package dev.atoll.server.trials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.sdk.Atoll;
import dev.atoll.server.it.McpClients;
import dev.atoll.server.it.RealServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Published clients of the Model Context Protocol drive a session, over HTTP and by {@code atoll
 * mcp}: they list tools, run code, meet errors, cancel, and read resources.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClientsTrialIT {
  /** One of them, over one transport. */
  record Client(String name, boolean http) {
    @Override
    public String toString() {
      return name + (http ? " over HTTP" : " over standard input and output");
    }
  }

  @RegisterExtension static final Trial TRIAL = new Trial("clients");

  private RealServer server;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    server = new RealServer("--mcp.session-idle=20m");
    atoll = server.atoll();
  }

  @AfterAll
  void stop() throws IOException {
    if (server != null) {
      server.close();
    }
  }

  static List<Client> clients() {
    List<String> names =
        List.of(
            "python_sdk", "fastmcp_client", "langchain_adapters", "openai_agents", "typescript");
    List<Client> clients = new ArrayList<>();
    // The TypeScript client is among our tests by McpIT already.
    for (String name : Trial.whole() ? names : names.subList(0, 1)) {
      clients.add(new Client(name, true));
      clients.add(new Client(name, false));
    }
    return TRIAL.of(clients);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("clients")
  void drivesASession(Client client) throws Exception {
    List<String> target = client.http() ? List.of(atoll.endpoint().url() + "/mcp") : cli();
    Map<String, String> environment =
        Map.of(
            "ATOLL_HOME", server.home().toString(),
            "ATOLL_SERVER", atoll.endpoint().url().toString(),
            "ATOLL_API_KEY", atoll.endpoint().apiKey());
    if (client.name().equals("typescript")) {
      List<String> arguments = new ArrayList<>(List.of("session.mjs"));
      arguments.addAll(target);
      McpClients.Outcome outcome = McpClients.install().node(arguments, environment);
      assertThat(outcome.status()).as(outcome.output()).isZero();
    } else {
      PythonPrograms programs = PythonPrograms.install(client.name());
      PythonPrograms.Outcome outcome = programs.run(client.name() + ".py", target, environment);
      assertThat(outcome.status()).as(outcome.output()).isZero();
      assertThat(outcome.output()).contains("the story was told");
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(atoll.sandboxes().list().stream()).isEmpty());
  }

  private static List<String> cli() {
    Path cli = Path.of("../cli/target").toAbsolutePath().normalize();
    String classes = cli.resolve("classes") + File.pathSeparator + cli.resolve("lib/*");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return List.of(java, "-cp", classes, "dev.atoll.cli.Main", "mcp");
  }
}
