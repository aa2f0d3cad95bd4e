package dev.atoll.cli;

import dev.atoll.model.CaseResult;
import dev.atoll.model.Compilation;
import dev.atoll.model.JudgeRequest;
import dev.atoll.model.JudgeResult;
import dev.atoll.model.Language;
import dev.atoll.model.OutputMatch;
import dev.atoll.model.Verdict;
import dev.atoll.model.Visible;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Judges a program by its output. */
@Command(
    name = "judge",
    description = {
      "Judge a program by its output.",
      "It is compiled once and run for each case, each time as if it were the first. The exit code"
          + " is 0 if all are accepted, otherwise 1."
    })
final class JudgeCommand extends ListingCommand {
  @Parameters(index = "0", paramLabel = "FILE", description = "File with the code.")
  Path file = Path.of("");

  @Option(
      names = {"-l", "--language"},
      paramLabel = "NAME",
      description = "Language; told by the end of the file's name when left out.")
  @Nullable String language;

  @Option(
      names = "--case",
      paramLabel = "IN:OUT",
      description = "Files with an input and the output expected; can be given again.")
  List<String> pairs = new ArrayList<>();

  @Option(
      names = "--cases",
      paramLabel = "FOLDER",
      description = "Folder of such files: NAME.in and NAME.out.")
  @Nullable Path folder;

  @Option(
      names = "--match",
      paramLabel = "exact|trimmed|numeric",
      description = "How outputs are compared; trimmed by default.")
  @Nullable String match;

  @Option(
      names = "--tolerance",
      paramLabel = "X",
      description = "Compare numbers, which may differ by that much.")
  @Nullable Double tolerance;

  @Option(
      names = "--time-limit",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Processor time of each run; 2s by default.")
  @Nullable Duration timeLimit;

  @Option(
      names = "--memory-limit",
      paramLabel = "MIB",
      description = "Memory of each run; 256 by default.")
  @Nullable String memoryLimit;

  @Option(names = "--stop", description = "Stop at the first case that is not accepted.")
  boolean stop;

  @Option(
      names = {"-t", "--template"},
      paramLabel = "NAME",
      description = "Template to run it in.")
  @Nullable String template;

  @Option(
      names = {"-s", "--sandbox"},
      paramLabel = "NAME",
      description = "Sandbox to run it in, instead of one of its own.")
  @Nullable String sandbox;

  @Override
  public Integer call() {
    try {
      JudgeRequest request = request();
      JudgeResult result =
          sandbox == null
              ? atoll().judge(request, this::print)
              : atoll().sandboxes().handle(sandbox).judge(request, this::print);
      end(result);
      return result.accepted() ? ExitCode.OK : 1;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JudgeRequest request() throws IOException {
    OutputMatch how = match();
    return new JudgeRequest(
        language == null ? languageOfFile() : language,
        Files.readString(file),
        null,
        new CaseFiles(pairs, folder).read(),
        null,
        null,
        null,
        null,
        how,
        tolerance,
        SandboxSettings.seconds(timeLimit),
        SandboxSettings.mebibytes("--memory-limit", memoryLimit),
        null,
        null,
        stop ? true : null,
        template,
        null,
        null);
  }

  private String languageOfFile() {
    return Language.ofFile(file.toString())
        .map(Language::name)
        .orElseThrow(
            () -> new UsageException("cannot tell the language of " + file, "give --language"));
  }

  private @Nullable OutputMatch match() {
    try {
      return match == null ? null : OutputMatch.of(match);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--match is exact, trimmed or numeric; not " + match);
    }
  }

  private void print(CaseResult one) {
    if (json()) {
      return;
    }
    String name = one.name() == null ? Integer.toString(one.number()) : one.name();
    stdio()
        .out()
        .printf(
            Locale.ROOT,
            "%-20s %-14s %6d ms %7.1f MiB%n",
            Visible.line(name),
            one.verdict().wire(),
            one.cpuMillis(),
            one.maxRssBytes() / 1048576.0);
    if (one.message() != null) {
      stdio().out().println("  " + Visible.line(one.message()));
    }
    String detail =
        one.diff() != null
            ? one.diff()
            : one.verdict() == Verdict.RUNTIME_ERROR ? one.stderr() : "";
    detail.lines().forEach(line -> stdio().out().println("  " + Visible.line(line)));
    stdio().out().flush();
  }

  private void end(JudgeResult result) {
    if (json()) {
      stdio().json(result);
      return;
    }
    Compilation compile = result.compile();
    if (compile != null && !compile.ok()) {
      stdio().err().print(compile.output());
      stdio().err().flush();
    }
    stdio()
        .out()
        .println(
            "%s: %d of %d accepted"
                .formatted(result.verdict().wire(), result.passed(), result.total()));
    stdio().out().flush();
  }
}
