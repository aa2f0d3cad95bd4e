package dev.atoll.server.it;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.CaseResult;
import dev.atoll.model.Compilation;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ExecuteResult;
import dev.atoll.model.JudgeCase;
import dev.atoll.model.JudgeResult;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import dev.atoll.model.Verdict;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.CallInterruptedException;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Programs that run once, in real sandboxes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProgramsIT {
  private static final String GREETER =
      """
      #include <stdio.h>
      int main(int argc, char **argv) {
        char name[100];
        if (scanf("%99s", name) != 1) return 2;
        printf("hello %s, %d arguments, the last is %s\\n", name, argc - 1, argv[argc - 1]);
        return 0;
      }
      """;

  private RealServer server;
  private Atoll atoll;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    server = new RealServer();
    atoll = server.atoll();
  }

  @AfterAll
  void stop() throws IOException {
    server.close();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (atoll.sandboxes().list().stream().findAny().isPresent()) {
      assertThat(System.nanoTime()).as("sandboxes are left").isLessThan(deadline);
      Thread.sleep(100);
    }
  }

  @Test
  void pythonSaysHello() {
    ExecuteResult result = atoll.execute("python", "print('hello')");
    assertThat(result.status()).isEqualTo(RunStatus.OK);
    assertThat(result.stdout()).isEqualTo("hello\n");
    assertThat(result.compile()).isNull();
    assertThat(result.maxRssBytes()).isGreaterThan(1 << 20);
  }

  @Test
  void aProgramOfCIsCompiledAndGetsInputAndArguments() {
    List<RunEvent> events = new ArrayList<>();
    ExecuteResult result =
        atoll.execute(
            "c", GREETER, e -> e.stdin("world").args("a", "two words").onEvent(events::add));
    assertThat(result.stdout()).isEqualTo("hello world, 2 arguments, the last is two words\n");
    assertThat(requireNonNull(result.compile()).ok()).isTrue();
    assertThat(events.getFirst()).isInstanceOf(RunEvent.Compiled.class);
    assertThat(events.getLast()).isInstanceOf(RunEvent.End.class);
  }

  @Test
  void goAndRubyAreRecipes() {
    String go =
        """
        package main

        import "fmt"

        func main() {
        	var a, b int
        	fmt.Scan(&a, &b)
        	fmt.Println(a + b)
        }
        """;
    assertThat(atoll.execute("go", go, e -> e.stdin("2 3")).stdout()).isEqualTo("5\n");
    ExecuteResult refused = atoll.execute("go", "package main\nfunc main() { nonsense() }\n");
    assertThat(refused.status()).isEqualTo(RunStatus.COMPILATION_ERROR);
    assertThat(requireNonNull(refused.compile()).output()).contains("undefined: nonsense");
    String ruby = "a, b = STDIN.gets.split.map(&:to_i)\nputs a + b, ARGV.inspect";
    assertThat(atoll.execute("ruby", ruby, e -> e.stdin("2 3").args("x")).stdout())
        .isEqualTo("5\n[\"x\"]\n");
    JudgeResult judged = atoll.judge("ruby", "raise 'oops'", j -> j.expect("", ""));
    assertThat(judged.verdict()).isEqualTo(Verdict.RUNTIME_ERROR);
    assertThat(judged.cases().getFirst().stderr()).contains("oops");
  }

  /** One that adds the numbers of its input, and one that is wrong, in each of these languages. */
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "javascript|const n = require('fs').readFileSync(0, 'utf8').split(' ').map(Number);"
            + " console.log(n[0] + n[1])|console.log(nonsense)|runtime_error|nonsense",
        "typescript|import { readFileSync } from 'node:fs'; enum At { A } type Sum = { of: number[] };"
            + " const s: Sum = { of: readFileSync(0, 'utf8').split(' ').map(Number) };"
            + " console.log(s.of[At.A]! + s.of[1]!)|const x: = 1|compilation_error|main.ts",
        "java|class Main { public static void main(String[] a) { var in = new"
            + " java.util.Scanner(System.in); System.out.println(in.nextInt() + in.nextInt()); } }"
            + "|class Main { int x = nonsense; }|compilation_error|nonsense"
      },
      delimiter = '|')
  void programsAreExecutedAndJudged(
      String language, String adder, String wrong, String verdict, String said) {
    ExecuteResult executed = atoll.execute(language, adder, e -> e.stdin("2 3"));
    assertThat(executed.stdout()).as("%s", executed).isEqualTo("5\n");
    JudgeResult judged =
        atoll.judge(language, adder, j -> j.expect("2 3", "5").expect("20 22", "41"));
    assertThat(judged.cases().stream().map(one -> one.verdict().wire()))
        .as("%s", judged)
        .containsExactly("accepted", "wrong_answer");
    JudgeResult refused = atoll.judge(language, wrong, j -> j.expect("", ""));
    assertThat(refused.verdict().wire()).as("%s", refused).isEqualTo(verdict);
    Compilation compilation = refused.compile();
    assertThat(
            compilation == null || compilation.ok()
                ? refused.cases().getFirst().stderr()
                : compilation.output())
        .contains(said);
  }

  @Test
  void theCompilersWordsAreTold() {
    ExecuteResult result = atoll.execute("c", "int main(void) { return nonsense; }");
    assertThat(result.status()).isEqualTo(RunStatus.COMPILATION_ERROR);
    assertThat(result.exitCode()).isNotZero();
    assertThat(requireNonNull(result.compile()).output())
        .contains("main.c:1:")
        .contains("nonsense");
    assertThat(result.stdout()).isEmpty();
  }

  @Test
  void filesLieBesideTheProgram() {
    ExecuteResult result =
        atoll.execute(
            "python",
            "import helper, os\nprint(helper.NAME, open('data/in.txt').read(), os.environ['X'])",
            e -> e.file("helper.py", "NAME = 'h'").file("data/in.txt", "text").env("X", "y"));
    assertThat(result.stdout()).isEqualTo("h text y\n");
  }

  @Test
  void howItEndedIsTold() {
    ExecuteResult exit = atoll.execute("bash", "echo out; echo err >&2; exit 3");
    assertThat(exit.status()).isEqualTo(RunStatus.ERROR);
    assertThat(exit.exitCode()).isEqualTo(3);
    assertThat(exit.stdout()).isEqualTo("out\n");
    assertThat(exit.stderr()).isEqualTo("err\n");
    ExecuteResult signal =
        atoll.execute("c", "int main(void) { *(volatile int *) 8 = 1; return 0; }");
    assertThat(signal.status()).isEqualTo(RunStatus.KILLED);
    assertThat(signal.signal()).isEqualTo("SIGSEGV");
    ExecuteResult late =
        atoll.execute("python", "while True: pass", e -> e.timeout(Duration.ofSeconds(1)));
    assertThat(late.status()).isEqualTo(RunStatus.TIMEOUT);
    assertThat(late.durationMillis()).isGreaterThanOrEqualTo(1000);
  }

  @Test
  void whatCannotBeRunSaysWhy() {
    assertThatThrownBy(() -> atoll.execute("cobol", "STOP RUN."))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_LANGUAGE);
              assertThat(e.hint()).contains("python").contains("cpp");
            });
    assertThatThrownBy(() -> atoll.execute("c", "int main;", e -> e.template("python")))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_LANGUAGE));
  }

  @Test
  void eachCaseHasItsVerdict() {
    String program =
        """
        import os, sys, time
        word = sys.stdin.read().strip()
        if word == 'crash': sys.exit('no way')
        if word == 'signal': os.abort()
        if word == 'loop':
            while True: pass
        if word == 'sleep': time.sleep(600)
        if word == 'hog': b = bytearray(400 << 20); print(len(b))
        if word == 'family':
            for i in range(4):
                if os.fork() == 0:
                    b = b'x' * (60 << 20); time.sleep(600)
            time.sleep(600)
        if word == 'flood':
            while True: sys.stdout.write('y' * 65536)
        print(word.upper())
        """;
    JudgeResult result =
        atoll.judge(
            "python",
            program,
            j -> {
              j.memoryLimitMiB(200).timeLimit(Duration.ofSeconds(1));
              for (String word :
                  List.of(
                      "yes", "crash", "signal", "loop", "sleep", "hog", "family", "flood", "no")) {
                j.add(
                    new JudgeCase(
                        word,
                        word,
                        word.equals("no") ? "other" : word.toUpperCase(Locale.ROOT),
                        null,
                        null,
                        null,
                        null,
                        null));
              }
            });
    Map<String, CaseResult> byName = new HashMap<>();
    result.cases().forEach(one -> byName.put(String.valueOf(one.name()), one));
    assertThat(result.cases().stream().map(one -> one.name() + " " + one.verdict().wire()))
        .containsExactly(
            "yes accepted",
            "crash runtime_error",
            "signal runtime_error",
            "loop timeout",
            "sleep timeout",
            "hog memory_limit",
            "family memory_limit",
            "flood runtime_error",
            "no wrong_answer");
    assertThat(result.verdict()).isEqualTo(Verdict.RUNTIME_ERROR);
    assertThat(result.passed()).isEqualTo(1);
    assertThat(result.total()).isEqualTo(9);
    assertThat(one(byName, "crash").stderr()).contains("no way");
    assertThat(one(byName, "crash").exitCode()).isEqualTo(1);
    assertThat(one(byName, "signal").signal()).isEqualTo("SIGABRT");
    assertThat(one(byName, "loop").cpuMillis()).isGreaterThanOrEqualTo(1000);
    assertThat(one(byName, "family").maxRssBytes()).isGreaterThan(200 << 20);
    assertThat(one(byName, "flood").message()).contains("bytes");
    assertThat(one(byName, "no").diff()).isEqualTo("@@ line 1 @@\n-other\n+NO\n");
    assertThat(one(byName, "yes").maxRssBytes()).isBetween(1L << 20, 100L << 20);
  }

  private static CaseResult one(Map<String, CaseResult> results, String name) {
    return requireNonNull(results.get(name));
  }

  @Test
  void aCaseLeavesNothingForTheNext() {
    String program =
        """
        import os, subprocess, sys
        here = [p for p in ('note', '/tmp/note', '/dev/shm/note', os.path.expanduser('~/note'))
                if os.path.exists(p)]
        for path in ('note', '/tmp/note', '/dev/shm/note', os.path.expanduser('~/note')):
            open(path, 'w').write('x')
        daemon = 'import time; time.sleep(717)'
        subprocess.Popen([sys.executable, '-c', daemon], start_new_session=True)
        processes = [p for p in os.listdir('/proc') if p.isdigit()]
        print(here, len(processes), open('given.txt').read())
        open('given.txt', 'w').write('changed')
        """;
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      // The supervisor, the program and its daemon are all it sees.
      JudgeResult result =
          sandbox.judge(
              "python",
              program,
              j -> j.file("given.txt", "given").expect("", "[] 3 given").expect("", "[] 3 given"));
      assertThat(result.cases())
          .allSatisfy(one -> assertThat(one.verdict()).as("%s", one).isEqualTo(Verdict.ACCEPTED));
      assertThat(
              sandbox.shell("ls -A ~/.atoll /tmp; ps -eo args | grep -c '[s]leep(717)'").stdout())
          .doesNotContain("note")
          .endsWith("0\n");
    }
  }

  @Test
  void aProgramOfCIsJudgedByNumbers() {
    String program =
        """
        #include <stdio.h>
        int main(void) { double x; while (scanf("%lf", &x) == 1) printf("%.3f\\n", x / 3); }
        """;
    JudgeResult result =
        atoll.judge("c", program, j -> j.expect("1 2", "0.33333\n0.66667").tolerance(1e-3));
    assertThat(result.verdict()).isEqualTo(Verdict.ACCEPTED);
    assertThat(requireNonNull(result.compile()).ok()).isTrue();
    JudgeResult refused = atoll.judge("c", "int main(", j -> j.expect("", ""));
    assertThat(refused.verdict()).isEqualTo(Verdict.COMPILATION_ERROR);
    assertThat(refused.cases()).isEmpty();
    assertThat(requireNonNull(refused.compile()).output()).contains("main.c");
  }

  @Test
  void aCallerWhoGoesAwayTakesItAlong() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    String program = "import time\nwhile True:\n  print('x', flush=True); time.sleep(0.2)";
    Thread caller =
        Thread.ofVirtual()
            .start(
                () ->
                    assertThatThrownBy(
                            () ->
                                atoll.execute(
                                    "python",
                                    program,
                                    e ->
                                        e.timeout(Duration.ofHours(1))
                                            .onStdout(text -> running.countDown())))
                        .isInstanceOf(CallInterruptedException.class));
    assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
    caller.interrupt();
    caller.join();
    nothingIsLeft();
  }

  /** One who waits for the whole answer says nothing more; that he is gone shows by itself. */
  @Test
  void aCallerWhoWaitsForTheWholeAndGoesAwayTakesItAlongToo() throws Exception {
    try (Socket caller =
        post("/v1/execute", "{\"language\":\"python\",\"code\":\"while 1: pass\"}")) {
      awaitSandboxes(1);
      assertThat(caller.isConnected()).isTrue();
    }
    nothingIsLeft();
  }

  private Socket post(String path, String json) throws IOException {
    URI address = URI.create(atoll.endpoint().url().toString());
    Socket socket = new Socket(address.getHost(), address.getPort());
    String key = Files.readString(server.home().resolve("admin.key")).strip();
    socket
        .getOutputStream()
        .write(
            "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(path, address.getAuthority(), key, json.length(), json)
                .getBytes(StandardCharsets.UTF_8));
    return socket;
  }

  private void awaitSandboxes(int count) throws InterruptedException {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (atoll.sandboxes().list().stream().count() != count) {
      assertThat(System.nanoTime()).as("no sandbox for the program").isLessThan(deadline);
      Thread.sleep(50);
    }
  }

  @Test
  void aTemplateThatIsUsedHasTheNextSandboxReady() throws Exception {
    assertThat(atoll.execute("ruby", "puts 1").stdout()).isEqualTo("1\n");
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    long hits = server.metric("atoll_pool_hits_total");
    // The first ones may come while it is still being made.
    while (server.metric("atoll_pool_hits_total") == hits) {
      assertThat(System.nanoTime()).as("none was ready").isLessThan(deadline);
      assertThat(atoll.execute("ruby", "puts 1").stdout()).isEqualTo("1\n");
    }
  }

  @Test
  void longAnswersAreWhole() {
    ExecuteResult result = atoll.execute("python", "import time; time.sleep(5); print('late')");
    assertThat(result.stdout()).isEqualTo("late\n");
  }
}
