package dev.atoll.cli;

import dev.atoll.model.CommandRequest;
import dev.atoll.model.Json;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.sdk.RunStream;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A file that runs as a program of its language does: under its own name, beside the files that it
 * imports, with arguments and an exit code, and with no value at its end.
 *
 * <p>Python runs in the context's kernel all the same, which has its libraries loaded and shows its
 * figures; the others are processes.
 */
final class Script {
  private static final String PYTHON = "python";
  private static final String JAVA = "java";

  /** A line that names libraries, which what runs such a file in a sandbox looks for. */
  private static final Pattern LIBRARIES = Pattern.compile("(?m)^\\s*//DEPS\\s");

  private static final List<String> WITH_LIBRARIES = List.of("sh", "/opt/atoll/kernels/java/run");
  private static final Map<String, List<String>> PROGRAMS =
      Map.of(
          "bash",
          List.of("bash"),
          JAVA,
          List.of("java"),
          "javascript",
          List.of("node"),
          "typescript",
          List.of(
              "node", "--experimental-transform-types", "--disable-warning=ExperimentalWarning"));

  private final ScriptFiles files;
  private final List<String> arguments;

  Script(ScriptFiles files, List<String> arguments) {
    this.files = files;
    this.arguments = List.copyOf(arguments);
  }

  /** Whether files of a language run so. */
  static boolean is(String language, String file) {
    return (language.equals(PYTHON) || PROGRAMS.containsKey(language)) && !file.endsWith(".jsh");
  }

  /** Brings the files into a sandbox and runs the first. The request tells what holds for runs. */
  RunStream start(Sandbox in, RunCodeRequest request, String language) {
    String folder = "/tmp/run-" + files.digest();
    send(in, folder);
    String path = folder + "/" + files.name();
    return language.equals(PYTHON)
        ? in.streamCode(inKernel(request, path))
        : in.stream(asProcess(request, program(language), path));
  }

  private List<String> program(String language) {
    byte[] code = files.contents().getOrDefault(files.name(), new byte[0]);
    return language.equals(JAVA)
            && LIBRARIES.matcher(new String(code, StandardCharsets.UTF_8)).find()
        ? WITH_LIBRARIES
        : PROGRAMS.getOrDefault(language, List.of());
  }

  private RunCodeRequest inKernel(RunCodeRequest request, String path) {
    // A list of JSON strings is one of Python's too.
    String code =
        "get_ipython().run_script(%s, %s)"
            .formatted(
                Json.lenient().writeValueAsString(path),
                Json.lenient().writeValueAsString(arguments));
    RunCodeRequest script =
        new RunCodeRequest(
            code, PYTHON, request.context(), request.env(), request.timeoutSeconds(), null);
    return Boolean.TRUE.equals(request.answersInput()) ? script.answered() : script;
  }

  private CommandRequest asProcess(RunCodeRequest request, List<String> program, String path) {
    List<String> argv = new ArrayList<>(program);
    argv.add(path);
    argv.addAll(arguments);
    return new CommandRequest(
        argv,
        null,
        null,
        request.env(),
        null,
        null,
        null,
        null,
        request.timeoutSeconds(),
        null,
        null);
  }

  private void send(Sandbox in, String folder) {
    if (files.contents().size() == 1) {
      files.contents().forEach((name, bytes) -> in.files().write(folder + "/" + name, bytes));
      return;
    }
    try {
      Path copy = Files.createTempDirectory("atoll-run");
      try {
        for (Map.Entry<String, byte[]> file : files.contents().entrySet()) {
          Path to = copy.resolve(file.getKey());
          Files.createDirectories(Objects.requireNonNull(to.getParent()));
          Files.write(to, file.getValue());
        }
        in.files().uploadDirectory(copy, folder);
      } finally {
        remove(copy);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
