package dev.atoll.cli;

import dev.atoll.model.ExecuteRequest;
import dev.atoll.model.ExecuteResult;
import dev.atoll.model.Language;
import dev.atoll.model.RunEvent;
import dev.atoll.model.SandboxSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the code of {@code atoll run} as a program, as for a language that has no kernel. */
final class ProgramRun {
  private final RunCommand command;

  ProgramRun(RunCommand command) {
    this.command = command;
  }

  int run(String code) {
    Stdio stdio = command.stdio();
    RunPrinter printer = new RunPrinter(stdio, false);
    Consumer<RunEvent> listener = command.json() ? event -> {} : printer::print;
    ExecuteResult result = command.atoll().execute(request(code), listener);
    if (command.json()) {
      stdio.json(result);
    }
    RunPrinter.tell(result.status(), result.message(), stdio);
    return printer.tellCut(ExitCode.of(result.status(), result.exitCode()));
  }

  private ExecuteRequest request(String code) {
    SandboxSpec spec = command.settings.spec(null, false);
    if (spec.snapshot() != null || spec.isolation() != null) {
      throw new UsageException("a program that runs once takes neither --from nor --isolation");
    }
    List<String> arguments = command.arguments;
    String language = command.wantedLanguage();
    return new ExecuteRequest(
        language == null ? Language.PYTHON.name() : language,
        code,
        null,
        input(),
        arguments.isEmpty() ? null : arguments,
        command.settings.variables(),
        SandboxSettings.seconds(command.timeout),
        null,
        null,
        spec.template(),
        spec.cpus(),
        spec.memoryMiB(),
        spec.diskMiB(),
        null,
        spec.network(),
        spec.secrets());
  }

  private @Nullable String input() {
    String from = command.stdin;
    if (from == null) {
      return null;
    }
    try {
      byte[] bytes =
          from.equals("-")
              ? command.stdio().in().readAllBytes()
              : Files.readAllBytes(Path.of(from));
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
