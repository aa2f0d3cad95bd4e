package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import dev.atoll.model.SandboxStats;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.RemoteProcess;
import dev.atoll.sdk.RunStream;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.Terminal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a newcomer does first, and what comes right after it. */
class FirstRunIT {
  private static RealServer server;
  private static Atoll atoll;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    server = new RealServer();
    atoll = server.atoll();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @Test
  void thePythonOfTheReadmePrints5050() throws Exception {
    String machine;
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      machine = server.machineOf(sandbox.id());
      assertThat(sandbox.runCode("print(sum(range(101)))").stdout()).isEqualTo("5050\n");
    }
    server.assertNothingLeft(machine);
  }

  @Test
  void variablesFilesAndAwaitLastFromRunToRun() {
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      sandbox.runCode("import asyncio\nx = 41\nopen('note.txt', 'w').write('kept')");
      assertThat(sandbox.runCode("x + 1").text()).hasValue("42");
      assertThat(sandbox.runCode("open('note.txt').read()").text()).hasValue("'kept'");
      assertThat(sandbox.runCode("await asyncio.sleep(0, 'awaited')").text()).hasValue("'awaited'");
      RunResult error = sandbox.runCode("def f():\n    return 1 / 0\nf()");
      assertThat(error.error()).isNotNull();
      assertThat(String.join("\n", error.error() == null ? List.of() : error.error().traceback()))
          .contains("return 1 / 0")
          .doesNotContain("kernel.py");
    }
  }

  @Test
  void aNewSandboxHasTheRightTimeAndRandomNumbersOfItsOwn() {
    String draw =
        """
        import random, os, uuid, secrets, time
        print(random.random(), os.urandom(8).hex(), uuid.uuid4(), secrets.token_hex(8))
        time.time()
        """;
    Set<String> drawn = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      try (Sandbox sandbox = atoll.sandboxes().create()) {
        RunResult result = sandbox.runCode(draw);
        for (String number : List.of(result.stdout().strip().split(" ", -1))) {
          assertThat(drawn.add(number)).as("%s is new", number).isTrue();
        }
        assertThat(Double.parseDouble(result.text().orElseThrow()))
            .isCloseTo(System.currentTimeMillis() / 1000.0, within(5.0));
      }
    }
    assertThat(drawn).hasSize(12);
  }

  @Test
  void thePromisedToolsAreThere() {
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      RunResult result =
          sandbox.shell(
              "python --version && pip --version && git --version && curl --version && ps");
      assertThat(result.status()).as(result.stderr()).isEqualTo(RunStatus.OK);
      assertThat(sandbox.runCode("import sys; sys.version_info >= (3, 12)").text())
          .hasValue("True");
      String host = sandbox.shell("sha256sum < /etc/ssl/certs/ca-certificates.crt").stdout();
      assertThat(host.strip()).isEqualTo(hostCertificates());
    }
  }

  private static String hostCertificates() {
    try {
      Process sha =
          new ProcessBuilder("sh", "-c", "sha256sum < /etc/ssl/certs/ca-certificates.crt").start();
      return new String(sha.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void outputStreamsWhileItHappens() {
    // Each line comes only after the one before it was read here.
    String code =
        """
        import os, time
        for i in range(3):
            print(i)
            while not os.path.exists(f'/tmp/read-{i}'): time.sleep(0.01)
        """;
    try (Sandbox sandbox = atoll.sandboxes().create();
        RunStream stream = sandbox.streamCode(code)) {
      List<String> lines = new ArrayList<>();
      for (RunEvent event : stream) {
        if (event instanceof RunEvent.Stdout out) {
          sandbox.files().write("/tmp/read-" + lines.size(), new byte[0]);
          lines.add(out.text());
        }
      }
      assertThat(lines).containsExactly("0\n", "1\n", "2\n");
    }
  }

  @Test
  void aBackgroundServerRunsAndIsReachedFromInside() {
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      RemoteProcess web = sandbox.start("python3", "-u", "-m", "http.server", "8000");
      RunResult got = sandbox.shell("until curl -sf http://127.0.0.1:8000/; do sleep 0.1; done");
      assertThat(got.exitCode()).isZero();
      assertThat(got.stdout()).contains("Directory listing");
      web.signal("SIGTERM");
      assertThat(web.waitFor(Duration.ofMinutes(1)).running()).isFalse();
    }
  }

  @Test
  void aTerminalIsATerminal() throws IOException {
    try (Sandbox sandbox = atoll.sandboxes().create();
        Terminal terminal =
            sandbox.terminal(List.of("bash", "--norc"), options -> options.pty(33, 101))) {
      terminal.write("stty size; tty; exit 7\n".getBytes(StandardCharsets.UTF_8));
      String screen = new String(terminal.output().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(screen).contains("33 101").contains("/dev/pts/");
      assertThat(terminal.waitFor(Duration.ofMinutes(1)))
          .hasValueSatisfying(end -> assertThat(end.exitCode()).isEqualTo(7));
    }
  }

  @Test
  void directoriesGoInAndOut(@TempDir Path folder) throws IOException {
    Path source = Files.createDirectories(folder.resolve("in/sub"));
    Files.writeString(source.resolve("a.txt"), "alpha");
    Files.createSymbolicLink(folder.resolve("in/link"), Path.of("sub/a.txt"));
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      sandbox.files().uploadDirectory(folder.resolve("in"), "/home/sandbox/data");
      assertThat(sandbox.shell("cat data/link").stdout()).isEqualTo("alpha");
      sandbox.files().downloadDirectory("/home/sandbox/data", folder.resolve("out"));
      assertThat(Files.readString(folder.resolve("out/sub/a.txt"))).isEqualTo("alpha");
      // A relative path begins at home, as everywhere.
      sandbox.files().uploadDirectory(folder.resolve("in"), "again/deep");
      assertThat(sandbox.shell("cat again/deep/link").stdout()).isEqualTo("alpha");
      sandbox.files().downloadDirectory("again", folder.resolve("back"));
      assertThat(Files.readString(folder.resolve("back/deep/sub/a.txt"))).isEqualTo("alpha");
    }
  }

  @Test
  void statsAreSane() {
    try (Sandbox sandbox = atoll.sandboxes().create(s -> s.memoryMiB(300))) {
      sandbox.runCode("x = bytearray(b'x' * (50 << 20))");
      sandbox.shell("head -c 20000000 /dev/zero > zeros");
      SandboxStats stats = sandbox.stats();
      assertThat(stats.memoryBytes()).isBetween(50L << 20, 300L << 20);
      assertThat(stats.memoryLimitBytes()).isEqualTo(300L << 20);
      assertThat(stats.diskBytes()).isGreaterThanOrEqualTo(20_000_000);
    }
  }

  @Test
  void aPausedSandboxUsesNoTimeAndGoesOn() throws InterruptedException {
    try (Sandbox sandbox = atoll.sandboxes().create()) {
      sandbox.runCode(
          """
          import threading, time
          n = 0
          def count():
              global n
              while True:
                  n += 1
                  time.sleep(0.01)
          threading.Thread(target=count, daemon=True).start()
          """);
      sandbox.pause();
      long before = sandbox.stats().cpuMillis();
      Thread.sleep(1000);
      assertThat(sandbox.stats().cpuMillis() - before).isLessThan(100);
      sandbox.resume();
      assertThat(sandbox.runCode("a = n\nwhile n == a: time.sleep(0.01)\nn > a").text())
          .hasValue("True");
    }
  }

  @Test
  void manySandboxesAtOnceAllAnswer() throws Exception {
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> answers = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        int number = i;
        answers.add(
            pool.submit(
                () -> {
                  try (Sandbox sandbox = atoll.sandboxes().create()) {
                    return sandbox.runCode("print(" + number + ")").stdout();
                  }
                }));
      }
      for (int i = 0; i < answers.size(); i++) {
        assertThat(answers.get(i).get()).isEqualTo(i + "\n");
      }
    }
  }
}
