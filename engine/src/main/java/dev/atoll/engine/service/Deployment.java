package dev.atoll.engine.service;

import dev.atoll.engine.Run;
import dev.atoll.engine.SandboxFiles;
import dev.atoll.engine.WriteOptions;
import dev.atoll.engine.template.LineSplitter;
import dev.atoll.model.AtollException;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.DeployEvent;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.GitSource;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunStatus;
import dev.atoll.model.ServiceLogLine;
import dev.atoll.model.ServiceSpec;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a revision of a service beside the one that serves: a sandbox with the program, which is
 * started and seen to work, and a snapshot of it, of which further instances are made. Then the
 * sandbox becomes the first instance.
 */
final class Deployment {
  private static final Logger LOG = LoggerFactory.getLogger(Deployment.class);
  private static final double COMMAND_SECONDS = 1800;
  private static final int LAST_LINES = 30;
  private static final int KEPT_REVISIONS = 20;

  /** Failures that say by themselves what is wrong with the request. */
  private static final Set<ErrorCode> OF_THE_REQUEST =
      Set.of(
          ErrorCode.INVALID_ARGUMENT,
          ErrorCode.TEMPLATE_NOT_FOUND,
          ErrorCode.SNAPSHOT_NOT_FOUND,
          ErrorCode.SNAPSHOT_INCOMPATIBLE,
          ErrorCode.SECRET_NOT_FOUND,
          ErrorCode.QUOTA_EXCEEDED,
          ErrorCode.DRIVER_UNAVAILABLE,
          ErrorCode.SERVICE_NOT_FOUND,
          ErrorCode.SHUTTING_DOWN);

  private final LiveService service;
  private final Parts parts;
  private final Upkeep upkeep;
  private final ServiceSpec spec;
  private final int number;
  private final Consumer<DeployEvent> listener;
  private final Instance first;
  private final String snapshotName;
  private final Deque<String> lastLines = new ArrayDeque<>();
  private volatile String step = "";
  private @Nullable SnapshotInfo snapshot;

  Deployment(
      LiveService service,
      Parts parts,
      ServiceSpec spec,
      int number,
      Consumer<DeployEvent> listener) {
    this.service = service;
    this.parts = parts;
    this.upkeep = service.upkeep();
    this.spec = spec;
    this.number = number;
    this.listener = listener;
    this.first = new Instance(upkeep.newName(spec.name(), number), number);
    this.snapshotName = upkeep.newName(spec.name(), number);
  }

  /** Does all of it; when it fails, nothing of it is left but a row that says why. */
  void run() {
    LiveService.Serving old = service.previous();
    parts.rows().insert(service.id(), number, spec.withoutContent(), snapshotName, Instant.now());
    try {
      service.building(first);
      make();
    } catch (RuntimeException e) {
      undo(String.valueOf(e.getMessage()));
      throw explained(e);
    }
    // That of the revision before stays, so that it can serve again.
    if (old != null) {
      forget(old.snapshot());
    }
    parts.rows().purge(service.id(), number - KEPT_REVISIONS);
  }

  private void make() {
    step("making a sandbox");
    upkeep.make(first, spec.sandbox(first.name, variables(), upkeep.labels(number), null));
    fill();
    setUp();
    Program program = upkeep.program(first);
    if (!spec.copiesRunning()) {
      keep();
    }
    step("starting the program");
    Run run = program.start(spec);
    upkeep.follow(first, run, this::line);
    step("waiting until it is healthy");
    program.awaitHealthy(run, spec);
    if (spec.copiesRunning()) {
      keep();
    }
    SnapshotInfo kept = Objects.requireNonNull(snapshot);
    ServiceSpec serving = spec.withoutContent();
    service.serve(
        number,
        serving,
        kept.id(),
        first,
        run,
        () -> parts.rows().serve(service.id(), number, serving));
  }

  private Map<String, String> variables() {
    String from = spec.snapshot();
    Map<String, String> variables =
        new HashMap<>(
            from == null ? Map.of() : parts.snapshots().get(service.project(), from).env());
    if (spec.env() != null) {
      variables.putAll(spec.env());
    }
    variables.put("PORT", Integer.toString(spec.listens()));
    variables.put("ATOLL_SERVICE", spec.name());
    variables.put("ATOLL_SERVICE_REVISION", Integer.toString(number));
    return variables;
  }

  // The program's files.

  private void fill() {
    SandboxFiles files = parts.sandboxes().files(service.project(), first.id());
    GitSource git = spec.git();
    if (git != null) {
      step("cloning " + git.url());
      clone(git);
      return;
    }
    var _ = files.makeDirectory(Program.FOLDER, true);
    String archive = spec.archive();
    if (archive != null) {
      step("unpacking the archive");
      files.writeTar(Program.FOLDER, new ByteArrayInputStream(decoded(archive)));
    }
    Map<String, String> texts = spec.files();
    if (texts != null) {
      step("writing %d files".formatted(texts.size()));
      texts.forEach((path, text) -> write(files, path, text));
    }
  }

  private static byte[] decoded(String archive) {
    try {
      return Base64.getDecoder().decode(archive);
    } catch (IllegalArgumentException e) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          "archive is not base64: " + e.getMessage(),
          null,
          Map.of("field", "archive"),
          e);
    }
  }

  private static void write(SandboxFiles files, String path, String text) {
    var _ =
        files.write(
            Program.FOLDER + "/" + path,
            new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
            new WriteOptions(0, true, false));
  }

  private void clone(GitSource git) {
    List<String> argv = new ArrayList<>(List.of("git", "clone", "--depth", "1"));
    if (git.ref() != null) {
      argv.addAll(List.of("--branch", git.ref()));
    }
    argv.addAll(List.of("--", git.url(), Program.FOLDER));
    command(
        new CommandRequest(
            argv,
            null,
            null,
            Map.of("GIT_TERMINAL_PROMPT", "0"),
            null,
            null,
            null,
            null,
            COMMAND_SECONDS,
            null,
            null));
  }

  private void setUp() {
    String setup = spec.setup();
    if (setup != null) {
      step("setting up: " + setup.strip().lines().findFirst().orElse(""));
      command(Program.command(setup, COMMAND_SECONDS, null));
    }
  }

  private void command(CommandRequest request) {
    Run run = parts.sandboxes().runCommand(service.project(), first.id(), request);
    LineSplitter lines = new LineSplitter(this::setupLine);
    RunEvent.End end =
        run.follow(
            event -> {
              if (event instanceof RunEvent.Output output) {
                lines.add(output);
              }
            });
    lines.end();
    if (end.status() != RunStatus.OK) {
      String message = end.message();
      throw new AtollException(
          ErrorCode.DEPLOY_FAILED,
          "the command ended with exit code %d%s"
              .formatted(end.exitCode(), message == null ? "" : ": " + message));
    }
  }

  private void setupLine(String text) {
    ServiceLogLine line = new ServiceLogLine(Instant.now(), first.id(), number, "setup", text);
    service.log().add(List.of(new ServiceLog.Entry(line, "", 0)));
    line(text);
  }

  private void keep() {
    step("taking a snapshot");
    SnapshotInfo taken =
        parts
            .snapshots()
            .create(
                service.project(),
                first.id(),
                new SnapshotRequest(snapshotName, upkeep.labels(number), SnapshotKind.MEMORY));
    parts.owned().put(taken.id(), service.name());
    snapshot = taken;
  }

  // Telling.

  private void step(String what) {
    step = what;
    if (service.over()) {
      throw Services.unknown(service.name());
    }
    listener.accept(new DeployEvent.DeployStep(what));
  }

  private void line(String text) {
    synchronized (lastLines) {
      lastLines.addLast(text);
      if (lastLines.size() > LAST_LINES) {
        lastLines.removeFirst();
      }
    }
    listener.accept(new DeployEvent.DeployOutput(text));
  }

  // Failing.

  private AtollException explained(RuntimeException e) {
    if (e instanceof AtollException known && OF_THE_REQUEST.contains(known.code())) {
      return known;
    }
    List<String> words;
    synchronized (lastLines) {
      words = List.copyOf(lastLines);
    }
    String reason = String.valueOf(e.getMessage());
    String hint = e instanceof AtollException known ? known.hint() : null;
    return new AtollException(
        ErrorCode.DEPLOY_FAILED,
        "revision %d of service %s failed while %s: %s".formatted(number, spec.name(), step, reason)
            + (words.isEmpty() ? "" : "\n" + String.join("\n", words)),
        (hint == null ? "" : hint + "; ")
            + (service.revision() == 0 ? "nothing is left of it" : "the revision before goes on"),
        Map.of("revision", number, "step", step, "log", words),
        e);
  }

  private void undo(String message) {
    if (service.closed()) {
      // The next server undoes it.
      return;
    }
    Run run = first.run;
    if (run != null && run.await(Duration.ZERO)) {
      Upkeep.awaitWords(first);
    }
    SnapshotInfo taken = snapshot;
    if (taken != null) {
      forget(taken.id());
    }
    upkeep.end(first);
    parts.rows().failed(service.id(), number, message);
  }

  private void forget(String id) {
    try {
      parts.snapshots().remove(service.project(), id);
    } catch (AtollException e) {
      LOG.warn("snapshot {} of {} is not there: {}", id, service.name(), e.getMessage());
    }
    parts.owned().remove(id);
  }
}
