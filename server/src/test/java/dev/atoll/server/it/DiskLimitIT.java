package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.model.RunResult;
import dev.atoll.model.RunStatus;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A disk that is full is told by every run until it no longer is, and costs no variables. */
class DiskLimitIT {
  private static final String ROOM = "import glob, os\nfor f in glob.glob('big*'): os.remove(f)\n";
  private static RealServer server;
  private Sandbox sandbox;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    server = new RealServer();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @BeforeEach
  void create() {
    create(128);
  }

  private void create(int diskMiB) {
    sandbox = server.atoll().sandboxes().create(s -> s.memoryMiB(1024).diskMiB(diskMiB));
    sandbox.runCode("x = 41\nimport subprocess");
  }

  @AfterEach
  void end() {
    sandbox.close();
  }

  private RunResult run(String code) {
    return sandbox.runCode(code, o -> o.timeout(Duration.ofMinutes(2)));
  }

  private static void assertFull(RunResult result) {
    assertThat(result.status()).as("%s", result).isEqualTo(RunStatus.DISK_LIMIT);
    assertThat(result.exitCode()).isNotZero();
    assertThat(result.message()).contains("out of disk", "remove files");
  }

  private void assertToldUntilThereIsRoom(RunResult full) {
    assertFull(full);
    RunResult next = run("x + 1");
    assertFull(next);
    assertThat(next.text()).as("the kernel lives: %s", next).hasValue("42");
    RunResult mended = run(ROOM + "x + 1");
    assertThat(mended.status()).as("%s", mended).isEqualTo(RunStatus.OK);
    RunResult writes = run("open('small', 'w').write('y' * 100_000)\nx + 1");
    assertThat(writes.status()).as("%s", writes).isEqualTo(RunStatus.OK);
    assertThat(writes.text()).hasValue("42");
  }

  @Test
  void aProgramThatFillsTheDiskLeavesTheKernelAndTheRunSaysSo() {
    assertToldUntilThereIsRoom(
        run("subprocess.run('dd if=/dev/zero of=big bs=1M count=400', shell=True)"));
  }

  @Test
  void oneThatStartsWriterAfterWriterIsEndedAndTheKernelIsNot() {
    assertToldUntilThereIsRoom(
        run(
            "subprocess.run('while :; do dd if=/dev/zero of=big$((i=i+1)) bs=1M count=20; done',"
                + " shell=True)"));
  }

  @Test
  void codeThatStartsThemOnAndOnIsInterrupted() {
    assertToldUntilThereIsRoom(
        run(
            """
            i = 0
            while True:
                i += 1
                subprocess.run(f'dd if=/dev/zero of=big{i} bs=1M count=20 2>/dev/null', shell=True)
            """));
  }

  /** The smallest disk there is, which is full within moments. */
  @Test
  void howeverFarAProgramHasComeTheKernelLives() {
    sandbox.close();
    create(16);
    assertToldUntilThereIsRoom(
        run("subprocess.run('dd if=/dev/zero of=big bs=1M count=400', shell=True)"));
  }

  @Test
  void writesOfTheKernelItselfFailAndItsVariablesStay() {
    RunResult result =
        run(
            """
            for i in range(1000):
                with open(f'big{i}', 'wb') as out: out.write(b'x' * (1 << 20))
            """);
    assertToldUntilThereIsRoom(result);
  }

  /** Memory that is mapped from files is written without regard to limits of files. */
  @Test
  void aKernelThatHadToBeEndedBetweenTwoRunsIsToldByTheNext() {
    run(
        """
        import mmap, threading, time
        def fill():
            time.sleep(1)
            files = [open(f'big{i}', 'w+b') for i in range(20)]
            for f in files: f.truncate(100 << 20)
            for f in files:
                m = mmap.mmap(f.fileno(), 100 << 20)
                for at in range(0, 100 << 20, 4096):
                    m[at] = 1
                    if at % (1 << 20) == 0: time.sleep(0.01)
        threading.Thread(target=fill, daemon=True).start()
        """);
    await()
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(() -> assertThat(sandbox.contexts().list()).isEmpty());
    RunResult told = run("open('not-run', 'w')");
    assertFull(told);
    assertThat(told.message()).contains("variables of the context are lost", "was not run");
    RunResult mended = run(ROOM + "('x' in globals(), os.path.exists('not-run'))");
    assertThat(mended.text()).as("%s", mended).hasValue("(False, False)");
    assertThat(mended.status()).isEqualTo(RunStatus.OK);
  }
}
