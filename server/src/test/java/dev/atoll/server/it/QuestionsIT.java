package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.RunStream;
import dev.atoll.sdk.Sandbox;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Code that asks whoever runs it, in real sandboxes. */
class QuestionsIT {
  private static final String NOBODY =
      "stdin is not available in run_code; pass data as a file or variable";

  private static RealServer server;
  private static Atoll atoll;
  private static Sandbox sandbox;

  @TempDir Path folder;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    server = new RealServer();
    atoll = server.atoll();
    atoll.templates().build("code-interpreter");
    sandbox = atoll.sandboxes().create(s -> s.template("code-interpreter"));
  }

  @AfterAll
  static void stop() throws IOException {
    sandbox.close();
    server.close();
  }

  private static RunStream begin(Sandbox in, String code) {
    return in.streamCode(RunCodeRequest.python(code).answered());
  }

  /** Reads on to the next question. */
  private static RunEvent.InputRequest question(RunStream run) {
    Iterator<RunEvent> events = run.iterator();
    while (events.hasNext()) {
      if (events.next() instanceof RunEvent.InputRequest question) {
        return question;
      }
    }
    throw new AssertionError("it ended without a question");
  }

  @Test
  void theCallerAnswersWhatTheCodeAsks() throws IOException {
    List<RunEvent.InputRequest> asked = new ArrayList<>();
    RunResult result =
        sandbox.runCode(
            "import getpass\nname = input('name? ')\nsecret = getpass.getpass()\n"
                + "print('hello', name, len(secret))",
            c ->
                c.onInput(
                    question -> {
                      asked.add(question);
                      return question.asksPassword() ? "tr0ub4dor-itself" : "Zoë";
                    }));
    assertThat(result.stdout()).isEqualTo("hello Zoë 16\n");
    assertThat(asked)
        .extracting(RunEvent.InputRequest::prompt)
        .containsExactly("name? ", "Password: ");
    assertThat(asked).extracting(RunEvent.InputRequest::asksPassword).containsExactly(false, true);
    assertThat(sandbox.runCode("print(In, Out)").stdout()).doesNotContain("tr0ub4dor");
    // No file of the server has it: neither its logs nor what it keeps of runs.
    try (var files = Files.walk(server.home().resolve("logs"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain("tr0ub4dor");
      }
    }
  }

  @Test
  void withoutAnAnswererItEndsAtOnce() {
    RunResult result = sandbox.runCode("input('name? ')", c -> c.timeout(Duration.ofMinutes(10)));
    assertThat(result.error()).extracting("name", "value").containsExactly("EOFError", NOBODY);
    assertThat(result.durationMillis()).isLessThan(60_000);
  }

  @Test
  void theInputEndsWhereTheCallerHasNoMore() {
    RunResult result =
        sandbox.runCode("import sys\n[line for line in sys.stdin]", c -> c.onInput(asked -> null));
    assertThat(result.text()).hasValue("[]");
  }

  @Test
  void aRunThatWaitsEndsByItsTimeout() {
    try (RunStream run =
        sandbox.streamCode(new RunCodeRequest("input()", null, null, null, 1.0, null).answered())) {
      RunEvent.InputRequest question = question(run);
      assertThat(run.result().status()).isEqualTo(RunStatus.TIMEOUT);
      assertThatExceptionOfType(ApiException.class)
          .isThrownBy(() -> run.answer(question, "late"))
          .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INPUT_NOT_AWAITED));
    }
    assertThat(sandbox.runCode("1 + 1").text()).hasValue("2");
  }

  @Test
  void aQuestionIsThereInEachForkAndAfterASleep() {
    try (Sandbox parent = atoll.sandboxes().create();
        RunStream run = begin(parent, "kept = 1\nanswer = input('which way? ')\nprint(answer)")) {
      RunEvent.InputRequest question = question(run);
      try (Sandbox left = parent.fork();
          RunStream there = left.attach(run.id(), 0)) {
        RunEvent.InputRequest again = question(there);
        assertThat(again).isEqualTo(question);
        there.answer(again, "left");
        assertThat(there.result().stdout()).isEqualTo("left\n");
        assertThat(left.runCode("kept, answer").text()).hasValue("(1, 'left')");
      }
      run.answer(question, "right");
      assertThat(run.result().stdout()).isEqualTo("right\n");
    }
  }

  @Test
  void anAnswerWakesASandboxThatSleeps() {
    try (Sandbox sleeper = atoll.sandboxes().create()) {
      RunStream run = begin(sleeper, "answer = input('awake? ')\nprint(answer)");
      RunEvent.InputRequest question = question(run);
      run.detach();
      assertThat(sleeper.hibernate()).isNotNull();
      run.close();
      try (RunStream later = sleeper.attach(run.id(), 0)) {
        later.answer(question, "yes");
        assertThat(later.result().stdout()).isEqualTo("yes\n");
      }
    }
  }

  @Test
  void javaScriptAndJavaReadTheirStandardInput() {
    String javaScript =
        "var rl = require('readline').createInterface({input: process.stdin, output: process.stdout});"
            + "rl.question('a? ', (a) => rl.question('b? ', (b) => { console.log(a + b); rl.close(); }));";
    assertThat(
            sandbox
                .runCode(javaScript, c -> c.language("javascript").onInput(asked -> "x"))
                .stdout())
        .isEqualTo("a? b? xx\n");
    Iterator<String> lines = List.of("one", "two").iterator();
    RunResult lineByLine =
        sandbox.runCode(
            "for await (const line of require('readline').createInterface({ input: process.stdin }))"
                + " console.log(`[${line}]`);",
            c -> c.language("javascript").onInput(asked -> lines.hasNext() ? lines.next() : null));
    assertThat(lineByLine.stdout()).as(lineByLine.toString()).isEqualTo("[one]\n[two]\n");
    assertThat(
            sandbox
                .runCode("IO.readln(\"name? \")", c -> c.language("java").onInput(asked -> "Ada"))
                .text())
        .hasValue("\"Ada\"");
    assertThat(
            sandbox
                .runCode(
                    "await require('readline/promises').createInterface({input: process.stdin}).question('')",
                    c -> c.language("javascript"))
                .error())
        .extracting("value")
        .isEqualTo(NOBODY);
  }

  @Test
  void bashIsRefused() {
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> sandbox.runCode("read x", c -> c.language("bash").onInput(a -> "x")))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INPUT_UNSUPPORTED));
  }

  @Test
  void theCommandLineReadsAnswersFromItsOwnInput() throws Exception {
    Path script =
        Files.writeString(
            folder.resolve("ask.py"),
            "total = 0\ntry:\n  while True: total += int(input('n? '))\nexcept EOFError: print('=', total)\n");
    assertThat(run("1\n2\n39\n", "run", script.toString())).isEqualTo("n? n? n? n? = 42\n");
    assertThat(run("5", "run", "-c", "int(input()) + 1")).isEqualTo("6\n");
    assertThat(run("echo hi", "run", "-l", "bash", "-c", "echo bash")).isEqualTo("bash\n");
  }

  private String run(String input, String... arguments) throws Exception {
    Path cli = Path.of("../cli/target").toAbsolutePath().normalize();
    String classes = cli.resolve("classes") + File.pathSeparator + cli.resolve("lib/*");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command = new ArrayList<>(List.of(java, "-cp", classes, "dev.atoll.cli.Main"));
    command.addAll(List.of(arguments));
    Path in = Files.writeString(folder.resolve("in"), input);
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "ATOLL_URL",
                atoll.endpoint().url().toString(),
                "ATOLL_API_KEY",
                atoll.endpoint().apiKey()));
    Process process = builder.start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(Files.readString(err)).isZero();
    return Files.readString(out);
  }
}
