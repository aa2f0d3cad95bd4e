package dev.atoll.server.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.server.it.TestHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Programs in Python on this host, with libraries of PyPI in the versions of a list. They are
 * installed once into the tests' home and found there again without a network.
 *
 * @param folder a virtual environment
 */
record PythonPrograms(Path folder) {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** What pip says when it cannot reach a registry, as opposed to one that lacks a package. */
  private static final Pattern UNREACHABLE =
      Pattern.compile(
          "NewConnectionError|Temporary failure in name resolution|Network is unreachable"
              + "|Connection refused|ConnectTimeout|ConnectionResetError|Max retries exceeded");

  /** Installs what {@code clients/NAME.txt} lists, or skips the try where no registry answers. */
  static PythonPrograms install(String name) throws IOException, InterruptedException {
    Path list = TrialFiles.path("clients/" + name + ".txt");
    // Another list is another environment.
    Path folder =
        Files.createDirectories(
            TestHome.shared().resolve("trials/" + name + "-" + digest(Files.readAllBytes(list))));
    PythonPrograms programs = new PythonPrograms(folder);
    Path complete = folder.resolve("complete");
    if (!Files.exists(complete)) {
      Outcome venv = programs.run(List.of("python3", "-m", "venv", folder.toString()), Map.of());
      assertThat(venv.status()).as("python3 -m venv: %s", venv.output()).isZero();
      String pip = folder.resolve("bin/pip").toString();
      Outcome installed =
          programs.run(
              List.of(pip, "install", "--quiet", "--disable-pip-version-check", "-r", "" + list),
              Map.of());
      if (installed.status() != 0 && UNREACHABLE.matcher(installed.output()).find()) {
        throw Trial.skip("no registry of Python packages can be reached");
      }
      assertThat(installed.status()).as("pip install: %s", installed.output()).isZero();
      Files.createFile(complete);
    }
    return programs;
  }

  private static String digest(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, 6);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /** How one ended, and what it said. */
  record Outcome(int status, String output) {}

  /** Runs a program of the folder {@code clients}. */
  Outcome run(String program, List<String> arguments, Map<String, String> environment)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(folder.resolve("bin/python").toString());
    command.add("-B"); // nothing is written beside the sources
    command.add(TrialFiles.path("clients/" + program).toString());
    command.addAll(arguments);
    return run(command, environment);
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
