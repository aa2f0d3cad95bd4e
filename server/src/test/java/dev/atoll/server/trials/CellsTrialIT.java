package dev.atoll.server.trials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.Installer;
import dev.atoll.model.Json;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.sdk.ApiException;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import dev.atoll.server.it.RealServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.type.TypeReference;

/**
 * The cells of one notebook, by ipykernel and by a context of Atoll, each in a sandbox of the same
 * template: what somebody sees is the same, but for the differences that are listed with reasons.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CellsTrialIT {
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** What such a cell prints before it is ended. */
  private static final String READY = "ready";

  /**
   * A cell.
   *
   * @param interrupt whether it is ended from outside, as soon as it says that it is ready
   * @param differs in what it differs, with reasons
   */
  record Cell(String name, String code, boolean interrupt, Map<String, String> differs) {
    Cell {
      differs = differs == null ? Map.of() : new TreeMap<>(differs);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  @RegisterExtension static final Trial TRIAL = new Trial("cells");

  private RealServer server;
  private Atoll atoll;
  private List<Shown> ours;
  private List<Shown> theirs;

  @BeforeAll
  void play() throws IOException, InterruptedException {
    server = new RealServer();
    atoll = server.atoll();
    atoll.templates().build("code-interpreter");
    ours = byAtoll();
    theirs = byIpykernel();
  }

  @AfterAll
  void stop() throws IOException {
    if (server != null) {
      server.close();
    }
  }

  static List<Cell> cells() throws IOException {
    return TRIAL.of(TrialFiles.list("notebook/cells.yaml", Cell.class));
  }

  private Sandbox create() {
    return atoll
        .sandboxes()
        .create(s -> s.template("code-interpreter").memoryMiB(2048).cpus(2).diskMiB(4096));
  }

  private List<Shown> byAtoll() throws IOException {
    List<Shown> shown = new ArrayList<>();
    try (Sandbox sandbox = create()) {
      for (Cell cell : cells()) {
        RunResult run =
            sandbox.runCode(
                cell.code(), c -> c.timeout(PATIENCE).onEvent(interrupter(sandbox, cell)));
        shown.add(Shown.of(run));
      }
    }
    return shown;
  }

  private static Consumer<RunEvent> interrupter(Sandbox sandbox, Cell cell) {
    AtomicBoolean sent = new AtomicBoolean(!cell.interrupt());
    return event -> {
      if (event instanceof RunEvent.Stdout out
          && String.valueOf(out.text()).contains(READY)
          && sent.compareAndSet(false, true)) {
        sandbox.contexts().interrupt("default");
      }
    };
  }

  /** Empty if it cannot be installed, since no registry is reached. */
  private List<Shown> byIpykernel() throws IOException {
    try (Sandbox sandbox = create()) {
      sandbox.files().write("play.py", TrialFiles.text("notebook/play.py"));
      sandbox.files().write("cells.json", Json.lenient().writeValueAsString(cells()));
      if (!installed(sandbox)) {
        return List.of();
      }
      RunResult played =
          sandbox.shell("cd /home/sandbox && python3 play.py", c -> c.timeout(PATIENCE));
      assertThat(played.exitCode()).as("%s", played).isZero();
      return Json.lenient()
          .readValue(sandbox.files().readText("outputs.json"), new TypeReference<>() {});
    }
  }

  private static boolean installed(Sandbox sandbox) throws IOException {
    List<String> wanted =
        TrialFiles.text("notebook/requirements.txt").lines().filter(l -> !l.isBlank()).toList();
    try {
      sandbox.packages().install(Installer.PIP, wanted, o -> o.timeout(PATIENCE));
      return true;
    } catch (ApiException e) {
      if (e.code() == ErrorCode.REGISTRY_UNREACHABLE) {
        return false;
      }
      throw e;
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cells")
  void isShownAsByIpykernel(Cell cell) throws IOException {
    if (theirs.isEmpty()) {
      throw Trial.skip(
          "ipykernel could not be installed: no registry of Python packages is reached");
    }
    int index = cells().stream().map(Cell::name).toList().indexOf(cell.name());
    Map<String, String> differences = ours.get(index).differences(theirs.get(index));
    Set<String> vanished = new HashSet<>(cell.differs().keySet());
    differences.forEach(
        (what, how) -> {
          String reason = cell.differs().get(what);
          if (reason != null) {
            vanished.remove(what);
            TRIAL.known(cell.name(), what + ": " + reason);
          }
        });
    vanished.forEach(what -> TRIAL.say("vanished: " + cell.name() + ": " + what));
    differences.keySet().removeAll(cell.differs().keySet());
    assertThat(differences).isEmpty();
  }
}
