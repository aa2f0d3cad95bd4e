package dev.atoll.cli;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.Json;
import dev.atoll.model.Language;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunResult;
import dev.atoll.model.SandboxInfo;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.ConflictException;
import dev.atoll.sdk.RunStream;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.SandboxNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs code, in a sandbox of its own or in a named one that keeps its variables. */
@Command(
    name = "run",
    description = {
      "Run code in a sandbox.",
      "Without --sandbox in a new one that is gone afterwards; with it in that one, which is made"
          + " if it is absent and keeps files and variables for the next run.",
      "A file runs as a program of its language does: under its own name, with files of that"
          + " language beside it and below at hand. Code, and a file with --cell, runs as a cell of"
          + " a notebook, whose last value is printed.",
      "What the code asks, as by input(), is answered from standard input, unless the code itself"
          + " came from there; passwords are typed unseen.",
      "A language without a kernel, such as c, is compiled if need be and run as a program, once."
    })
final class RunCommand extends ListingCommand {
  private static final Map<String, String> TEMPLATES =
      Map.of(
          Language.JAVASCRIPT.name(), "node",
          Language.TYPESCRIPT.name(), "node",
          Language.JAVA.name(), "java");

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "FILE",
      description = "File with the code; - for standard input.")
  @Nullable String file;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "ARG",
      description = "An argument of the file; what begins with - goes after --.")
  List<String> arguments = new ArrayList<>();

  @Option(
      names = {"-c", "--code"},
      paramLabel = "CODE",
      description = "The code itself.")
  @Nullable String code;

  @Option(
      names = "--cell",
      description = "Run the file as a cell of a notebook: its last value is printed.")
  boolean cell;

  @Option(
      names = {"-s", "--sandbox"},
      paramLabel = "NAME",
      description = "Sandbox to run in.")
  @Nullable String sandbox;

  @Option(
      names = {"-l", "--language"},
      paramLabel = "NAME",
      description =
          "Language: python, javascript, typescript, bash, java; by default what FILE's name says, or else the sandbox's.")
  @Nullable String language;

  @Option(names = "--context", paramLabel = "NAME", description = "Context for the variables.")
  @Nullable String context;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "Interrupt the run after that time, such as 30s; exit code 124.")
  @Nullable Duration timeout;

  @Option(
      names = "--stdin",
      paramLabel = "FILE",
      description = "Run it as a program with that standard input; - for this one's own.")
  @Nullable String stdin;

  @Option(names = "--no-result", description = "Do not print the last expression's value.")
  boolean noResult;

  @Option(
      names = "--save-images",
      paramLabel = "DIR",
      description = "Save figures and images there, as image-1.png and so on.")
  @Nullable Path saveImages;

  @Mixin SandboxSettings settings = new SandboxSettings();

  private @Nullable Script script;

  @Override
  public Integer call() {
    String wanted = wantedLanguage();
    boolean python = wanted == null || wanted.equals(Language.PYTHON.name());
    script = script(wanted);
    if (script != null) {
      return runCode(wanted, "");
    }
    if (sandbox == null && (stdin != null || (!arguments.isEmpty() && !python))) {
      return new ProgramRun(this).run(source());
    }
    if (stdin != null || (!arguments.isEmpty() && !python)) {
      throw new UsageException(
          "a kernel takes no standard input, and only that of python takes arguments",
          "atoll cp the file, then atoll exec SANDBOX -- …");
    }
    return runCode(wanted, source());
  }

  /** The file as a program of its own, if it is to run so; what wants standard input runs alone. */
  private @Nullable Script script(@Nullable String wanted) {
    boolean inKernel = wanted == null || wanted.equals(Language.PYTHON.name()) || context == null;
    if (wanted == null
        || file == null
        || file.equals("-")
        || code != null
        || cell
        || stdin != null
        || !inKernel
        || !Script.is(wanted, file)) {
      return null;
    }
    ScriptFiles files = ScriptFiles.read(Path.of(file), wanted);
    if (files.tooMany()) {
      stdio()
          .message(
              "only %s is sent: its folder holds more than the %d files or %d MiB that go along; atoll cp the folder, then atoll exec"
                  .formatted(file, ScriptFiles.MOST_FILES, ScriptFiles.MOST_BYTES >> 20));
    }
    return new Script(files, arguments);
  }

  private int runCode(@Nullable String wanted, String source) {
    RunCodeRequest request =
        new RunCodeRequest(
            source,
            wanted,
            context,
            sandbox == null ? null : settings.variables(),
            SandboxSettings.seconds(timeout),
            null);
    if (sandbox != null) {
      return runInNamed(sandbox, request);
    }
    chooseTemplate(wanted);
    try (TemporarySandbox temporary = new TemporarySandbox(session(), settings.spec(null, false))) {
      return runAnswering(temporary.sandbox(), request);
    } catch (ApiException e) {
      if (e.code() != ErrorCode.UNSUPPORTED_LANGUAGE || wanted == null || context != null) {
        throw e;
      }
      return new ProgramRun(this).run(source());
    }
  }

  /** Tries the sandbox first: in the usual case it is there, and that is one request. */
  private int runInNamed(String name, RunCodeRequest request) {
    Sandbox named = atoll().sandboxes().handle(name);
    try {
      if (!settings.absent()) {
        ExistingSandbox.check(named.info(), settings.spec(null, false));
      }
      return runAnswering(named, request);
    } catch (SandboxNotFoundException e) {
      if (name.startsWith("sbx_")) {
        throw e;
      }
      chooseTemplate(request.language());
      create(name);
      return runAnswering(named, request);
    }
  }

  /** Whoever expects to find variables there should know that they are gone, and why. */
  private void tellOfPredecessor(String name) {
    atoll().sandboxes().list(query -> query.name(name).includeEnded()).stream()
        .filter(ended -> ended.endedAt() != null)
        .max(Comparator.comparing(SandboxInfo::createdAt))
        .filter(ended -> !"user".equals(ended.reason()))
        .ifPresent(
            ended ->
                stdio()
                    .message(
                        "%s ended (%s) at %s; this is a new one"
                            .formatted(
                                name,
                                ended.reason() == null ? ended.state().wire() : ended.reason(),
                                ended.endedAt())));
  }

  private void create(String name) {
    tellOfPredecessor(name);
    try {
      new SandboxCreation(session(), settings.spec(name, true)).create();
    } catch (ConflictException e) {
      // Somebody else has made it at the same moment.
      if (e.code() != ErrorCode.NAME_TAKEN) {
        throw e;
      }
    }
  }

  /** Apart from the file's own code, whose line numbers a traceback should show. */
  private void setArguments(Sandbox in) {
    List<String> argv = new ArrayList<>(List.of(String.valueOf(file)));
    argv.addAll(arguments);
    // A list of JSON strings is one of Python's too.
    String list = Json.lenient().writeValueAsString(argv);
    try (RunStream run =
        in.streamCode(
            new RunCodeRequest(
                "__import__('sys').argv = " + list, wantedLanguage(), context, null, null, null))) {
      run.result();
    }
  }

  /** Standard input is for what the code asks, unless the code itself came from there. */
  private int runAnswering(Sandbox in, RunCodeRequest request) {
    if (code == null && (file == null || file.equals("-"))) {
      return run(in, request);
    }
    try {
      return run(in, request.answered());
    } catch (ApiException e) {
      // A kernel of an earlier version, or of a language that has no questions.
      if (e.code() != ErrorCode.INPUT_UNSUPPORTED) {
        throw e;
      }
      return run(in, request);
    }
  }

  private int run(Sandbox in, RunCodeRequest request) {
    if (!arguments.isEmpty() && script == null) {
      setArguments(in);
    }
    String wanted = String.valueOf(request.language());
    try (RunStream run =
            script == null ? in.streamCode(request) : script.start(in, request, wanted);
        Interrupts.Guard _ = session().interrupts().guard(run::cancel);
        LineAnswers answers = new LineAnswers(stdio(), run, !json())) {
      SavedImages images = new SavedImages(stdio(), saveImages);
      if (!json()) {
        return new RunPrinter(
                stdio(), !noResult, images, session().interrupts()::isTerminated, answers)
            .print(run);
      }
      RunResult result = run.result(answers);
      if (saveImages != null) {
        result.shown().forEach(images::take);
      }
      stdio().json(result);
      return RunPrinter.end(result, stdio());
    }
  }

  /** A new sandbox should know the language. */
  private void chooseTemplate(@Nullable String wanted) {
    if (wanted != null && settings.template == null && settings.snapshot == null) {
      settings.template = TEMPLATES.get(wanted);
    }
  }

  @Nullable String wantedLanguage() {
    if (language != null) {
      return Language.of(language).name();
    }
    return file == null ? null : Language.ofFile(file).map(Language::name).orElse(null);
  }

  private String source() {
    if (code != null && file != null) {
      throw new UsageException("give either -c or a file, not both");
    }
    if (code != null) {
      return code;
    }
    if (file == null && stdio().inTerminal()) {
      throw new UsageException("give -c CODE, a file, or code on standard input");
    }
    try {
      byte[] bytes =
          file == null || file.equals("-")
              ? stdio().in().readAllBytes()
              : Files.readAllBytes(Path.of(file));
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
