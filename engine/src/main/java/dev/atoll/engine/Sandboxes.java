package dev.atoll.engine;

import dev.atoll.driver.MachineStats;
import dev.atoll.engine.file.GuestFileSystem;
import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.store.SandboxRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.ContextInfo;
import dev.atoll.model.ContextSpec;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Page;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SandboxStats;
import dev.atoll.model.SandboxUpdate;
import dev.atoll.protocol.wire.Stats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that callers do with sandboxes. A sandbox is named by its id or, while it lives, by
 * its name; one of another project does not exist for the caller.
 */
public final class Sandboxes {
  private static final Duration STATS_DEADLINE = Duration.ofSeconds(10);

  private final SandboxRows rows;
  private final Lifecycle lifecycle;

  Sandboxes(SandboxRows rows, Lifecycle lifecycle) {
    this.rows = rows;
    this.lifecycle = lifecycle;
  }

  /**
   * Makes a sandbox and returns when it runs.
   *
   * @param idempotencyKey a repetition with the same key and spec gives the sandbox of the first
   *     call
   */
  public SandboxInfo create(String project, SandboxSpec spec, @Nullable String idempotencyKey) {
    return lifecycle.create(project, spec, idempotencyKey);
  }

  public SandboxInfo get(String project, String idOrName) {
    SandboxInfo row = row(project, idOrName);
    LiveSandbox live = lifecycle.live(row.id());
    return live == null ? row : live.info();
  }

  private SandboxInfo row(String project, String idOrName) {
    return rows.find(project, idOrName)
        .orElseThrow(
            () ->
                new AtollException(
                    ErrorCode.SANDBOX_NOT_FOUND,
                    "there is no sandbox " + idOrName,
                    "list them with `atoll ls`"));
  }

  private LiveSandbox live(String project, String idOrName) {
    LiveSandbox byId = lifecycle.live(idOrName);
    if (byId != null && byId.project().equals(project)) {
      byId.touch();
      return byId;
    }
    SandboxInfo row = row(project, idOrName);
    LiveSandbox live = lifecycle.live(row.id());
    if (live == null) {
      throw new AtollException(
          SandboxRows.LIVING.contains(row.state()) ? ErrorCode.SANDBOX_NOT_RUNNING : ErrorCode.GONE,
          "sandbox %s is %s%s"
              .formatted(
                  idOrName,
                  row.state().wire(),
                  row.reason() == null ? "" : " (" + row.reason() + ")"),
          "create a new one",
          row.reason() == null
              ? Map.of("state", row.state().wire())
              : Map.of("state", row.state().wire(), "reason", row.reason()),
          null);
    }
    live.touch();
    return live;
  }

  public Page<SandboxInfo> list(String project, SandboxQuery query) {
    Page<SandboxInfo> page = rows.list(project, query);
    return new Page<>(
        page.items().stream()
            .map(
                row -> {
                  LiveSandbox live = lifecycle.live(row.id());
                  return live == null ? row : live.info();
                })
            .toList(),
        page.nextCursor());
  }

  /** How many sandboxes of all projects have a machine here, by state. */
  public Map<SandboxState, Long> counts() {
    return lifecycle.counts();
  }

  public SandboxInfo update(String project, String idOrName, SandboxUpdate update) {
    return lifecycle.update(live(project, idOrName), update);
  }

  /** Ends a sandbox; does nothing when it has ended already. */
  public void terminate(String project, String idOrName) {
    SandboxInfo row = row(project, idOrName);
    LiveSandbox live = lifecycle.live(row.id());
    if (live != null) {
      lifecycle.end(live, SandboxState.TERMINATED, "user");
    }
  }

  public SandboxInfo pause(String project, String idOrName) {
    return lifecycle.pause(live(project, idOrName));
  }

  public SandboxInfo resume(String project, String idOrName) {
    return lifecycle.resume(live(project, idOrName));
  }

  public SandboxStats stats(String project, String idOrName) {
    LiveSandbox live = live(project, idOrName);
    MachineStats host = live.machine().stats();
    int processes = 0;
    long disk = host.diskBytes();
    if (live.info().state() == SandboxState.RUNNING) {
      Stats inside = live.guest().stats(STATS_DEADLINE);
      processes = Math.max(0, inside.getProcesses());
      disk = Math.max(0, inside.getDiskBytes());
    }
    return new SandboxStats(
        host.memoryBytes(),
        (long) live.info().memoryMiB() << 20,
        disk,
        (long) live.info().diskMiB() << 20,
        processes,
        host.cpuMicros() / 1000);
  }

  /** Starts an execution in a context; returns when it has started. */
  public Run runCode(String project, String idOrName, RunCodeRequest request) {
    LiveSandbox live = live(project, idOrName);
    return live.runs().runCode(request, Map.of());
  }

  /** Starts a program to be waited for; it is forgotten some minutes after its end. */
  public Run runCommand(String project, String idOrName, CommandRequest request) {
    return live(project, idOrName).runs().start(request, false);
  }

  /** Starts a program that stays, and is kept until it is forgotten. */
  public Run startProcess(String project, String idOrName, CommandRequest request) {
    return live(project, idOrName).runs().start(request, true);
  }

  public Run run(String project, String idOrName, String runId) {
    return live(project, idOrName).runs().run(runId);
  }

  public List<ProcessInfo> processes(String project, String idOrName) {
    return live(project, idOrName).runs().processes();
  }

  public void forget(String project, String idOrName, String runId) {
    live(project, idOrName).runs().forget(runId);
  }

  public List<ContextInfo> contexts(String project, String idOrName) {
    return live(project, idOrName).runs().contexts();
  }

  public ContextInfo openContext(String project, String idOrName, ContextSpec spec) {
    return live(project, idOrName).runs().openContext(spec, Map.of());
  }

  public ContextInfo restartContext(String project, String idOrName, String name) {
    return live(project, idOrName).runs().restartContext(name, Map.of());
  }

  public void deleteContext(String project, String idOrName, String name) {
    live(project, idOrName).runs().deleteContext(name);
  }

  public void interruptContext(String project, String idOrName, String name) {
    live(project, idOrName).runs().interruptContext(name);
  }

  public SandboxFiles files(String project, String idOrName) {
    Guest guest = live(project, idOrName).guest();
    return new SandboxFiles(new GuestFileSystem(guest));
  }

  static Instant after(Instant now, double seconds) {
    return now.plusMillis(Math.round(seconds * 1000));
  }
}
