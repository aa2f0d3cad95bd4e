package dev.atoll.engine.service;

import dev.atoll.engine.Run;
import dev.atoll.engine.Sandboxes;
import dev.atoll.model.AtollException;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RunEvent;
import dev.atoll.model.ServiceSpec;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The program of a service in one of its sandboxes. */
record Program(Sandboxes sandboxes, HealthProbe probe, String project, String sandbox) {
  /** Where the program's files are, below the home of the sandbox's user. */
  static final String FOLDER = "app";

  private static final String LABEL = "atoll-service";
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration END_PATIENCE = Duration.ofSeconds(10);
  private static final int SIGTERM = 15;

  /** The one that runs, whoever started it. */
  @Nullable Run find() {
    return sandboxes.processes(project, sandbox).stream()
        .filter(process -> process.running() && LABEL.equals(process.name()))
        .max(Comparator.comparing(ProcessInfo::startedAt))
        .map(process -> sandboxes.run(project, sandbox, process.id()))
        .orElse(null);
  }

  Run start(ServiceSpec spec) {
    return sandboxes.startProcess(project, sandbox, command(spec.start(), null, LABEL));
  }

  /** A command line in the program's folder. */
  static CommandRequest command(String line, @Nullable Double timeout, @Nullable String label) {
    return new CommandRequest(
        null,
        line,
        FOLDER,
        Map.of("GIT_TERMINAL_PROMPT", "0"),
        null,
        null,
        null,
        null,
        timeout,
        null,
        label);
  }

  /** Ends it with all that it has started, and forgets it. */
  void stop(Run run) {
    run.cancel();
    boolean _ = run.await(END_PATIENCE);
    forget(run);
  }

  /** Asks it to end, with all that it has started, and gives it a while to do so. */
  static void dismiss(Run run) {
    try {
      if (!run.await(Duration.ZERO)) {
        run.signal(SIGTERM, true);
        boolean _ = run.await(END_PATIENCE);
      }
    } catch (AtollException e) {
      // It has ended by itself, or its sandbox has.
    }
  }

  void forget(Run run) {
    try {
      sandboxes.forget(project, sandbox, run.id());
    } catch (AtollException e) {
      // The sandbox has been in another machine since, and does not know it.
    }
  }

  /**
   * Waits until it works.
   *
   * @throws AtollException when it ends before, or takes too long
   */
  void awaitHealthy(Run run, ServiceSpec spec) {
    long deadline = System.nanoTime() + Math.round(spec.patience() * 1e9);
    while (true) {
      String problem = run.await(Duration.ZERO) ? "it has ended" : problem(spec);
      if (problem == null) {
        return;
      }
      RunEvent.End end = run.info().end();
      if (end != null) {
        throw unhealthy("the program ended with exit code " + end.exitCode());
      }
      if (System.nanoTime() > deadline) {
        throw unhealthy(
            "the program was not healthy after %s s: %s".formatted(spec.patience(), problem));
      }
      boolean _ = run.await(POLL);
    }
  }

  @Nullable String problem(ServiceSpec spec) {
    return probe.problem(project, sandbox, spec);
  }

  private static AtollException unhealthy(String message) {
    return new AtollException(
        ErrorCode.SERVICE_UNAVAILABLE,
        message,
        "it must listen on the port in the variable PORT; see its log");
  }
}
