package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Code that breaks things breaks its own sandbox at most, says how it ended, and leaves its
 * neighbours alone.
 */
class AbuseIT {
  private static RealServer server;
  private static Atoll atoll;
  private static Sandbox neighbour;
  private Sandbox sandbox;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    server = new RealServer();
    atoll = server.atoll();
    neighbour = atoll.sandboxes().create();
    neighbour.runCode("x = 41");
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @BeforeEach
  void create() {
    sandbox = atoll.sandboxes().create(s -> s.memoryMiB(256).diskMiB(256).processes(64));
  }

  @AfterEach
  void everyoneElseStillAnswers() {
    assertThat(neighbour.runCode("x + 1").text()).hasValue("42");
    assertThat(sandbox.runCode("1 + 1").text())
        .as("the next run in the same sandbox")
        .hasValue("2");
    sandbox.close();
  }

  private static RunResult code(Sandbox sandbox, String code, int seconds) {
    return sandbox.runCode(code, o -> o.timeout(Duration.ofSeconds(seconds)));
  }

  private static RunResult shell(Sandbox sandbox, String command, int seconds) {
    return sandbox.shell(command, o -> o.timeout(Duration.ofSeconds(seconds)));
  }

  private static Arguments code(String code, int seconds, RunStatus expected) {
    Function<Sandbox, RunResult> run = s -> code(s, code, seconds);
    return Arguments.of(code, run, expected);
  }

  private static Arguments shell(String command, int seconds, RunStatus expected) {
    Function<Sandbox, RunResult> run = s -> shell(s, command, seconds);
    return Arguments.of(command, run, expected);
  }

  static Stream<Arguments> abuses() {
    return Stream.of(
        code("while True: pass", 1, RunStatus.TIMEOUT),
        code("import os; os._exit(3)", 20, RunStatus.KERNEL_DIED),
        code("import ctypes; ctypes.string_at(0)", 20, RunStatus.KERNEL_DIED),
        code("x = bytearray(10 << 30)", 30, RunStatus.MEMORY_LIMIT),
        code(
            "x = []\nwhile True: x.append(bytearray(b'x' * (1 << 20)))",
            30,
            RunStatus.MEMORY_LIMIT),
        code(
            "open('big', 'wb').write(b'x' * (200 << 20)); open('big2', 'wb').write(b'x' * (200 << 20))",
            30,
            RunStatus.DISK_LIMIT),
        code("import os\nwhile True: os.fork()", 20, RunStatus.PROCESS_LIMIT),
        code(
            "import time, signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: time.sleep(1)",
            1,
            RunStatus.TIMEOUT),
        shell("exec dd if=/dev/zero of=big bs=1M", 30, RunStatus.DISK_LIMIT),
        shell(
            "while :; do dd if=/dev/zero of=big$((i=i+1)) bs=1M count=50; done",
            30,
            RunStatus.DISK_LIMIT),
        shell("exec python3 -c 'x = bytearray(10 << 30)'", 30, RunStatus.MEMORY_LIMIT),
        shell("yes", 2, RunStatus.TIMEOUT),
        shell("trap '' TERM INT HUP; while :; do sleep 1; done", 1, RunStatus.TIMEOUT),
        shell("bomb() { bomb | bomb & }; bomb; sleep 60", 3, RunStatus.TIMEOUT),
        shell("kill -SEGV $$", 10, RunStatus.KILLED));
  }

  @ParameterizedTest(name = "{0} ends with {2}")
  @MethodSource("abuses")
  void abuseEndsWithAClearStatus(
      String what, Function<Sandbox, RunResult> run, RunStatus expected) {
    RunResult result = run.apply(sandbox);
    assertThat(result.status())
        .as("%s: %s %s", what, result.stderr(), result.message())
        .isEqualTo(expected);
    assertThat(result.exitCode()).isNotZero();
    sandbox.shell("rm -f big*");
  }

  /** With room for hundreds of processes, memory or time may end before that limit is reached. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "while True: os.fork()",
        "while True:\n    try: os.fork()\n    except OSError: pass",
        "while True:\n    try:\n        if os.fork() == 0: os.setsid()\n    except OSError: pass",
        """
        while True:
            try:
                if os.fork() == 0:
                    os.setsid()
                    if os.fork() != 0: os._exit(0)
            except OSError: pass
        """,
      })
  void aForkBombWithinTheDefaultLimitsEndsWithAClearStatus(String bomb) {
    try (Sandbox roomy = atoll.sandboxes().create()) {
      RunResult result = code(roomy, "import os\n" + bomb, 10);
      assertThat(result.status())
          .as("%s: %s", bomb, result.message())
          .isIn(RunStatus.MEMORY_LIMIT, RunStatus.PROCESS_LIMIT, RunStatus.TIMEOUT);
      RunResult next = roomy.runCode("1 + 1");
      assertThat(next.text()).as("%s, after %s", next, result).hasValue("2");
      // Whatever the run started has ended with it, so that there is room for others at once.
      RunResult processes =
          roomy.shell("ps -C python3 -o pid=,ppid=,stat=,time= | awk '$3 !~ /^Z/'");
      assertThat(processes.status())
          .as("%s, after %s and %s", processes, next, result)
          .isEqualTo(RunStatus.OK);
      assertThat(processes.stdout().lines())
          .as("%s, after %s and %s", processes, next, result)
          .hasSize(1);
      assertThat(roomy.runCode("import subprocess\nsubprocess.run(['true']).returncode").text())
          .hasValue("0");
    }
  }

  @Test
  void aHundredMegabytesOfOutputAreCutWithAMarker() {
    RunResult result = code(sandbox, "print('a' * 100_000_000)", 60);
    assertThat(result.status()).isEqualTo(RunStatus.OK);
    assertThat(result.cutBytes()).isGreaterThan(80_000_000);
    assertThat(result.stdout()).contains("bytes of output left out").hasSizeLessThan(11 << 20);
  }

  @Test
  void whereErrorOutputIsCutTheMarkerIsInIt() {
    RunResult result =
        code(sandbox, "import sys\nprint('kept')\nsys.stderr.write('a' * 20_000_000)", 60);
    assertThat(result.stdout()).isEqualTo("kept\n");
    assertThat(result.stderr()).contains("bytes of output left out");
  }

  @Test
  void aTimeoutEndsWhatTheRunStartedAndKeepsTheVariables() {
    code(sandbox, "x = 41", 10);
    RunResult result =
        code(
            sandbox,
            """
            import subprocess, time
            subprocess.Popen(['sh', '-c', 'trap "" INT TERM; sleep 998 & sleep 999'], start_new_session=True)
            time.sleep(60)
            """,
            1);
    assertThat(result.status()).isEqualTo(RunStatus.TIMEOUT);
    assertThat(sandbox.runCode("x + 1").text()).hasValue("42");
    assertThat(
            shell(sandbox, "sleep 0.5; ps ax | grep '[s]leep 99' | grep -v defunct", 10).stdout())
        .isEmpty();
  }

  @Test
  void aTimeoutOfACommandEndsItsWholeTreeAndADaemonOfAFinishedOneStays() {
    RunResult result = shell(sandbox, "setsid sh -c 'sleep 998 & sleep 999' & sleep 60", 1);
    assertThat(result.status()).isEqualTo(RunStatus.TIMEOUT);
    assertThat(shell(sandbox, "ps ax | grep '[s]leep 99'", 10).stdout()).isEmpty();
    assertThat(shell(sandbox, "nohup sleep 997 > /dev/null 2>&1 & echo started", 10).stdout())
        .isEqualTo("started\n");
    assertThat(shell(sandbox, "ps ax | grep -c '[s]leep 997'", 10).stdout()).isEqualTo("1\n");
  }

  /** gVisor hangs up on a group of processes without a parent in its session in that case. */
  @Test
  void aProcessThatEndsWhileAnotherIsStoppedEndsNobodyElse() {
    RunResult result =
        code(
            sandbox,
            """
            import os, signal, subprocess
            sleeper = subprocess.Popen(['sleep', '60'])
            os.kill(sleeper.pid, signal.SIGSTOP)
            os.waitpid(sleeper.pid, os.WUNTRACED)
            subprocess.run(['true'])
            sleeper.kill()
            """,
            60);
    assertThat(result.status()).as("%s", result).isEqualTo(RunStatus.OK);
    RunResult command =
        shell(
            sandbox, "sleep 60 & kill -STOP $!; sleep 0.2; /bin/true; kill -9 $!; echo there", 60);
    assertThat(command.stdout()).as("%s", command).isEqualTo("there\n");
  }
}
