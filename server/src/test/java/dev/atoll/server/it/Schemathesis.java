package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Schemathesis, which makes requests out of a description of an API and holds the answers against
 * it. It is a package of PyPI, which is installed once into the tests' home and found there again
 * without a network.
 *
 * @param folder a virtual environment of Python
 */
public record Schemathesis(Path folder) {
  private static final String VERSION = "4.32.5";
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Installs it, if it is not there; a registry that cannot be reached fails the test. */
  public static Schemathesis install() throws IOException, InterruptedException {
    Path folder = TestHome.shared().resolve("schemathesis-" + VERSION);
    Schemathesis made = new Schemathesis(folder);
    if (!Files.exists(folder.resolve("complete"))) {
      Files.createDirectories(folder);
      Outcome venv = made.run(List.of("python3", "-m", "venv", folder.toString()), Map.of());
      assertThat(venv.status()).as("python3 -m venv: %s", venv.output()).isZero();
      Outcome pip =
          made.run(
              List.of(
                  folder.resolve("bin/pip").toString(),
                  "install",
                  "--quiet",
                  "--disable-pip-version-check",
                  "schemathesis==" + VERSION),
              Map.of());
      assertThat(pip.status())
          .as("schemathesis %s could not be installed from the registry: %s", VERSION, pip.output())
          .isZero();
      Files.writeString(folder.resolve("complete"), VERSION);
    }
    return made;
  }

  /** How it ended, and what it said. */
  public record Outcome(int status, String output) {}

  /**
   * Tries an API.
   *
   * @param description the file that describes it
   * @param key that it uses
   * @param options of {@code schemathesis run}
   */
  public Outcome run(Path description, URI server, String key, List<String> options)
      throws IOException, InterruptedException {
    Path config =
        Path.of(
            Objects.requireNonNull(Schemathesis.class.getResource("/contract/schemathesis.toml"))
                .getPath());
    List<String> command =
        new ArrayList<>(
            List.of(
                folder.resolve("bin/schemathesis").toString(),
                "--config-file",
                config.toString(),
                "run",
                description.toString(),
                "--url",
                server.toString()));
    command.addAll(options);
    return run(command, Map.of("ATOLL_CONTRACT_KEY", key));
  }

  private Outcome run(List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "output", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("NO_COLOR", "1");
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
