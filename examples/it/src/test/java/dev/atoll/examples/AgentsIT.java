package dev.atoll.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.atoll.agents.AgentSession;
import dev.atoll.agents.CodeAgent;
import dev.atoll.agents.End;
import dev.atoll.agents.ModelSettings;
import dev.atoll.agents.Outcome;
import dev.atoll.agents.anthropic.AnthropicModel;
import dev.atoll.agents.tools.Concurrently;
import dev.atoll.examples.scripted.Script;
import dev.atoll.examples.scripted.ScriptedModel;
import dev.atoll.examples.scripted.Turn;
import dev.atoll.model.SandboxInfo;
import dev.atoll.sdk.Atoll;
import dev.atoll.server.it.RealServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Many agents at once, and agents that do not live to clean up. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AgentsIT {
  private static final int AGENTS = 20;
  private static final int KILLED = 4;
  private static final Duration TTL = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofMinutes(15);

  private RealServer server;
  private ScriptedModel scripted;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    server = new RealServer();
    scripted =
        ScriptedModel.start(
            Script.of(
                "square",
                Turn.code("", "x = 12; print('begun')"),
                Turn.code("", "print(x * x)"),
                Turn.say("{output}")),
            Script.of(
                "sleep",
                Turn.code("", "import time; print('begun', flush=True); time.sleep(600)")));
  }

  @AfterAll
  void stop() throws IOException {
    scripted.close();
    server.close();
  }

  /** An agent in a process of its own, which is killed in the middle of a run. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] args) {
      Atoll atoll = Atoll.connect();
      agent(atoll, args[0], TTL).run("sleep as a victim");
    }
  }

  private static CodeAgent agent(Atoll atoll, String url, Duration ttl) {
    return CodeAgent.builder(AnthropicModel.of(ModelSettings.of("no-key", "scripted").at(url)))
        .sandboxes(atoll, s -> s.memoryMiB(256).ttl(ttl))
        .build();
  }

  @Test
  void noSandboxOutlivesItsAgentPastItsTtl() throws Exception {
    Atoll atoll = server.atoll();
    List<Process> victims = new ArrayList<>();
    try {
      for (int i = 0; i < KILLED; i++) {
        victims.add(victim());
      }
      List<Callable<Outcome>> agents = new ArrayList<>();
      for (int i = 0; i < AGENTS - KILLED; i++) {
        agents.add(() -> agent(atoll, scripted.url(), LONG).run("square"));
      }
      List<Outcome> outcomes = Concurrently.all(agents);
      assertThat(outcomes).extracting(Outcome::answer).containsOnly("144");
      await().atMost(Duration.ofMinutes(2)).until(() -> asked() >= KILLED);
    } finally {
      victims.forEach(Process::destroyForcibly);
    }
    for (Process victim : victims) {
      assertThat(victim.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
    // Only the ttl is left to end these.
    await().atMost(TTL.plusSeconds(60)).until(() -> sandboxes(atoll).isEmpty());
  }

  /** How many victims have a sandbox and have asked the model what to do in it. */
  private long asked() {
    return scripted.requests().stream()
        .filter(request -> request.path("messages").toString().contains("as a victim"))
        .count();
  }

  private static List<SandboxInfo> sandboxes(Atoll atoll) {
    return atoll.sandboxes().list().stream().toList();
  }

  private Process victim() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
                java,
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Victim.class.getName(),
                scripted.url())
            .inheritIO();
    builder.environment().putAll(Map.of("ATOLL_HOME", server.home().toString()));
    builder.environment().remove("ATOLL_URL");
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void cancellingEndsTheRunAndTheSandbox() throws Exception {
    Atoll atoll = server.atoll();
    try (AgentSession session = agent(atoll, scripted.url(), LONG).open()) {
      Thread killer =
          Thread.ofVirtual()
              .start(
                  () -> {
                    await()
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> session.transcript().text().contains("time.sleep"));
                    session.cancel();
                  });
      assertThat(session.ask("sleep until cancelled").end()).isEqualTo(End.CANCELLED);
      killer.join();
    }
    await().atMost(Duration.ofSeconds(30)).until(() -> sandboxes(atoll).isEmpty());
  }

  @Test
  void aSandboxThatIsTakenAwayEndsTheTask() {
    Atoll atoll = server.atoll();
    try (AgentSession session = agent(atoll, scripted.url(), LONG).open()) {
      atoll.sandboxes().handle(session.workspace().id()).terminate();
      assertThat(session.ask("square").end()).isEqualTo(End.SANDBOX_LOST);
    }
  }
}
