package dev.atoll.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.RunEvent;
import dev.atoll.model.SandboxState;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.RemoteProcess;
import dev.atoll.sdk.RunStream;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** State outlives the server, even one that is killed in the middle of its work. */
class ServerKillIT {
  private RealServer server;
  private Atoll atoll;

  @BeforeEach
  void start() throws IOException, InterruptedException {
    server = new RealServer();
    atoll = server.atoll();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void aServerThatIsStoppedWhileItStartsLeavesNothing() throws Exception {
    server.stopWhileItStarts();
    server.assertNothingLeft(null);
    server.start();
  }

  @Test
  void aRunGoesOnWhileTheServerIsDeadAndLosesNothing() throws Exception {
    Sandbox sandbox = atoll.sandboxes().create(s -> s.name("survivor"));
    sandbox.runCode("x = 41");
    StringBuilder output = new StringBuilder();
    boolean killed = false;
    try (RunStream stream =
        sandbox.streamCode(
            "import time\nfor i in range(40):\n    print(i)\n    time.sleep(0.1)\n'finished'")) {
      for (RunEvent event : stream) {
        if (event instanceof RunEvent.Stdout out) {
          output.append(out.text());
        }
        if (!killed && output.toString().contains("5\n")) {
          killed = true;
          server.kill();
          server.start();
        }
        if (event instanceof RunEvent.Result result) {
          assertThat(result.data().text()).isEqualTo("'finished'");
        }
      }
    }
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      expected.append(i).append('\n');
    }
    assertThat(killed).isTrue();
    assertThat(output.toString()).isEqualTo(expected.toString());
    assertThat(server.atoll().sandboxes().connect("survivor").runCode("x + 1").text())
        .hasValue("42");
  }

  @Test
  void variablesProcessesAndPausedSandboxesAreTakenOver() throws Exception {
    Sandbox running = atoll.sandboxes().create(s -> s.name("running"));
    Sandbox paused = atoll.sandboxes().create(s -> s.name("paused"));
    running.runCode("x = 41");
    paused.runCode("y = 'kept'");
    String process = running.start("sleep", "1000").id();
    paused.pause();
    server.kill();
    server.start();
    Atoll again = server.atoll();
    Sandbox found = again.sandboxes().connect("running");
    assertThat(found.runCode("print(x + 1)").stdout()).isEqualTo("42\n");
    assertThat(found.process(process).info().running()).isTrue();
    found.process(process).kill();
    assertThat(found.process(process).waitFor(Duration.ofMinutes(1)).running()).isFalse();
    assertThat(again.sandboxes().get("paused").state()).isEqualTo(SandboxState.PAUSED);
    Sandbox resumed = again.sandboxes().connect("paused");
    resumed.resume();
    assertThat(resumed.runCode("y").text()).hasValue("'kept'");
  }

  @Test
  void whatRunsIsFoundByTheIdThatItsCallerChose() throws Exception {
    Sandbox sandbox = atoll.sandboxes().create(s -> s.name("chosen"));
    RemoteProcess process = sandbox.start(List.of("sleep", "1000"), c -> c.id("process-1"));
    int pid = process.info().pid();
    try (RunStream first =
        sandbox.streamCode(
            "n = 1; print('begun'); time.sleep(1000)", c -> c.id("code-1").detached())) {
      assertThat(firstOutput(first)).isEqualTo("begun\n");
      first.detach();
    }
    server.kill();
    server.start();
    Sandbox found = server.atoll().sandboxes().connect("chosen");
    assertThat(found.start(List.of("sleep", "1000"), c -> c.id("process-1")).info().pid())
        .isEqualTo(pid);
    try (RunStream again = found.streamCode("n += 1", c -> c.id("code-1").detached())) {
      assertThat(firstOutput(again)).isEqualTo("begun\n");
      again.cancel();
    }
    assertThat(found.runCode("n").text()).as("it ran once").hasValue("1");
  }

  private static @Nullable String firstOutput(RunStream stream) {
    for (RunEvent event : stream) {
      if (event instanceof RunEvent.Stdout out) {
        return out.text();
      }
    }
    return null;
  }

  @Test
  void aCreateThatAKillInterruptsGivesOneSandboxInTheEnd() throws Exception {
    try (Sandbox warmUp = atoll.sandboxes().create(s -> s.memoryMiB(300))) {
      assertThat(warmUp.runCode("1").text()).hasValue("1");
    }
    // Other memory than what is kept ready, so that the sandbox is made and not claimed.
    for (int delay : List.of(0, 20, 50, 90, 140, 200, 300)) {
      Atoll client = server.patient();
      CompletableFuture<Sandbox> made =
          CompletableFuture.supplyAsync(
              () -> client.sandboxes().create(s -> s.name("once").memoryMiB(300)));
      Thread.sleep(delay);
      server.kill();
      server.start();
      // The client repeats the request with its key until it is served.
      Sandbox sandbox = made.get(5, TimeUnit.MINUTES);
      assertThat(sandbox.runCode("20 + 1").text()).hasValue("21");
      assertThat(server.atoll().sandboxes().list().stream().filter(i -> "once".equals(i.name())))
          .hasSize(1);
      server.atoll().sandboxes().connect("once").terminate();
    }
  }

  @Test
  void timersHoldAcrossAKill() throws Exception {
    Sandbox sandbox = atoll.sandboxes().create(s -> s.ttl(Duration.ofSeconds(3)));
    String machine = server.machineOf(sandbox.id());
    server.kill();
    Thread.sleep(3000);
    server.start();
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (server.atoll().sandboxes().get(sandbox.id()).state() == SandboxState.RUNNING) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(100);
    }
    assertThat(server.atoll().sandboxes().get(sandbox.id()).reason()).isEqualTo("ttl");
    server.assertNothingLeft(machine);
  }
}
