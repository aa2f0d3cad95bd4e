package dev.atoll.engine;

import dev.atoll.driver.MachineStats;
import dev.atoll.engine.file.GuestFileSystem;
import dev.atoll.engine.net.Egress;
import dev.atoll.engine.packages.Installation;
import dev.atoll.engine.packages.PackageLists;
import dev.atoll.engine.run.Bounds;
import dev.atoll.engine.run.Runs;
import dev.atoll.engine.run.Ticket;
import dev.atoll.engine.store.SandboxRows;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.ContextInfo;
import dev.atoll.model.ContextSpec;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.ForkResult;
import dev.atoll.model.InstalledPackage;
import dev.atoll.model.Installer;
import dev.atoll.model.MergeRequest;
import dev.atoll.model.NetworkInfo;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.PackagesRequest;
import dev.atoll.model.Page;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RewindRequest;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunResult;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxSpec;
import dev.atoll.model.SandboxState;
import dev.atoll.model.SandboxStats;
import dev.atoll.model.SandboxUpdate;
import dev.atoll.model.StateDiff;
import dev.atoll.model.StateTree;
import dev.atoll.protocol.wire.Stats;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Everything that callers do with sandboxes. A sandbox is named by its id or, while it lives, by
 * its name; one of another project does not exist for the caller.
 */
public final class Sandboxes {
  private static final Duration STATS_DEADLINE = Duration.ofSeconds(10);

  private final SandboxRows rows;
  private final Registry registry;
  private final Lifecycle lifecycle;
  private final Forks forks;
  private final Merges merges;
  private final Checkpoints checkpoints;
  private final StateTrees trees;
  private final Diffs diffs;
  private volatile Keeping keeping = Keeping.NOTHING;

  Sandboxes(
      SandboxRows rows,
      Registry registry,
      Lifecycle lifecycle,
      Forks forks,
      Merges merges,
      Checkpoints checkpoints,
      StateTrees trees,
      Diffs diffs) {
    this.rows = rows;
    this.registry = registry;
    this.lifecycle = lifecycle;
    this.forks = forks;
    this.merges = merges;
    this.checkpoints = checkpoints;
    this.trees = trees;
    this.diffs = diffs;
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

  /** A sandbox for a program that runs once, from a stock of its template if there is one. */
  public SandboxInfo createForProgram(String project, SandboxSpec spec) {
    return lifecycle.createForProgram(project, spec);
  }

  public SandboxInfo get(String project, String idOrName) {
    SandboxInfo row = row(project, idOrName);
    LiveSandbox live = registry.live(row.id());
    return live == null ? row : live.info();
  }

  private SandboxInfo row(String project, String idOrName) {
    return rows.find(project, idOrName).orElseThrow(() -> Registry.unknown(idOrName));
  }

  private LiveSandbox live(String project, String idOrName) {
    return registry.require(project, idOrName);
  }

  /** A call that needs the machine: a hibernated sandbox wakes for it. */
  private <T> T use(String project, String idOrName, Function<LiveSandbox, T> call) {
    LiveSandbox sandbox = live(project, idOrName);
    lifecycle.enter(sandbox);
    try {
      return call.apply(sandbox);
    } finally {
      sandbox.leave();
    }
  }

  public Page<SandboxInfo> list(String project, SandboxQuery query) {
    Page<SandboxInfo> page = rows.list(project, query);
    return new Page<>(
        page.items().stream()
            .map(
                row -> {
                  LiveSandbox live = registry.live(row.id());
                  return live == null ? row : live.info();
                })
            .toList(),
        page.nextCursor());
  }

  /** How many sandboxes of all projects have a machine here, by state. */
  public Map<SandboxState, Long> counts() {
    return registry.counts();
  }

  public SandboxInfo update(String project, String idOrName, SandboxUpdate update) {
    return lifecycle.update(live(project, idOrName), update);
  }

  /** Says what keeps things from their owner's accidents; see {@link Keeping}. */
  void keep(Keeping newKeeping) {
    keeping = newKeeping;
  }

  /** Ends a sandbox. Of one that has failed the checkpoints go, which were kept until now. */
  public void terminate(String project, String idOrName) {
    SandboxInfo row = row(project, idOrName);
    keeping.requireFree(row.id());
    end(project, row.id());
  }

  /** Ends a sandbox also when it is part of something. */
  public void end(String project, String id) {
    SandboxInfo row = row(project, id);
    LiveSandbox live = registry.live(row.id());
    if (live != null) {
      lifecycle.end(live, SandboxState.TERMINATED, "user");
    } else {
      checkpoints.forget(row);
    }
  }

  public SandboxInfo pause(String project, String idOrName) {
    return lifecycle.pause(live(project, idOrName));
  }

  public SandboxInfo resume(String project, String idOrName) {
    return lifecycle.wake(live(project, idOrName));
  }

  /** Brings a sandbox to disk and frees its memory; the next call that needs it wakes it. */
  public SandboxInfo hibernate(String project, String idOrName) {
    return lifecycle.hibernate(live(project, idOrName), false);
  }

  /** Lets a hibernated or paused sandbox go on. */
  public SandboxInfo wake(String project, String idOrName) {
    return lifecycle.wake(live(project, idOrName));
  }

  /** Makes copies of a sandbox with everything that is in it; the sandbox goes on. */
  public ForkResult fork(String project, String idOrName, ForkRequest request) {
    LiveSandbox parent = live(project, idOrName);
    if (parent.info().state() != SandboxState.RUNNING) {
      lifecycle.awaken(parent);
    }
    return forks.fork(parent, request);
  }

  /** Lets a sandbox go on as one of its descendants, which ends. */
  public SandboxInfo merge(String project, String idOrName, MergeRequest request) {
    LiveSandbox target = live(project, idOrName);
    LiveSandbox winner = live(project, request.winner());
    keeping.requireFree(target.id());
    keeping.requireFree(winner.id());
    return merges.merge(target, winner, request.destroyLosers());
  }

  /** Lets a sandbox go back to a kept state. */
  public SandboxInfo rewind(String project, String idOrName, RewindRequest request) {
    SandboxInfo row = row(project, idOrName);
    keeping.requireFree(row.id());
    return row.state() == SandboxState.FAILED
        ? checkpoints.revive(project, row, request)
        : checkpoints.rewind(live(project, idOrName), request);
  }

  /** All states that go back to the same first sandbox. */
  public StateTree tree(String project, String idOrName) {
    return trees.of(project, row(project, idOrName));
  }

  /** What differs between two relatives, each a sandbox or a snapshot. */
  public StateDiff diff(String project, String from, String to) {
    return diffs.between(project, from, to);
  }

  /** What a sandbox may reach, and what it uses. */
  public NetworkInfo network(String project, String idOrName) {
    LiveSandbox sandbox = live(project, idOrName);
    Egress egress = sandbox.egress();
    NetworkPolicy policy = sandbox.info().network();
    return egress == null
        ? new NetworkInfo(policy, null, 0, 0)
        : new NetworkInfo(policy, egress.ceiling(), egress.openConnections(), egress.bytesToday());
  }

  /** Changes what a sandbox may reach; takes effect at once, on open connections too. */
  public NetworkInfo network(String project, String idOrName, UnaryOperator<NetworkPolicy> change) {
    SandboxInfo _ = lifecycle.changeNetwork(live(project, idOrName), change);
    return network(project, idOrName);
  }

  public SandboxStats stats(String project, String idOrName) {
    LiveSandbox live = live(project, idOrName);
    return live.info().state() == SandboxState.PAUSED
        ? stats(live, null)
        : use(project, idOrName, s -> stats(s, s.guest().stats(STATS_DEADLINE)));
  }

  private static SandboxStats stats(LiveSandbox live, @Nullable Stats inside) {
    MachineStats host = live.body().machine().stats();
    return new SandboxStats(
        host.memoryBytes(),
        (long) live.info().memoryMiB() << 20,
        inside == null ? host.diskBytes() : Math.max(0, inside.getDiskBytes()),
        (long) live.info().diskMiB() << 20,
        inside == null ? 0 : Math.max(0, inside.getProcesses()),
        host.cpuMicros() / 1000);
  }

  /** Starts an execution in a context; returns when it has started. */
  public Run runCode(String project, String idOrName, RunCodeRequest request) {
    return runCode(project, idOrName, request, new Ticket());
  }

  /**
   * The same for a caller who may give up while he waits for his turn.
   *
   * @param ticket what he gives up
   */
  public Run runCode(String project, String idOrName, RunCodeRequest request, Ticket ticket) {
    return use(
        project,
        idOrName,
        sandbox -> {
          checkpoints.beforeRun(sandbox);
          return sandbox.runs().runCode(request, Map.of(), ticket);
        });
  }

  /** Cancels a run, also one that waits for its turn. */
  public void cancel(String project, String idOrName, String runId) {
    act(project, idOrName, runs -> runs.cancel(runId));
  }

  /** Starts a program to be waited for; it is forgotten some minutes after its end. */
  public Run runCommand(String project, String idOrName, CommandRequest request) {
    return use(
        project,
        idOrName,
        sandbox -> {
          checkpoints.beforeRun(sandbox);
          return sandbox.runs().start(request, false);
        });
  }

  /** Starts to install packages; the run tells what came of it before it ends. */
  public Run installPackages(String project, String idOrName, PackagesRequest request) {
    return use(
        project,
        idOrName,
        sandbox -> {
          checkpoints.beforeRun(sandbox);
          return sandbox.runs().install(request);
        });
  }

  /** What a package manager has installed. */
  public List<InstalledPackage> packages(String project, String idOrName, Installer manager) {
    RunResult listed = runCommand(project, idOrName, Installation.list(manager)).result();
    return PackageLists.parse(manager, listed.stdout());
  }

  /** Starts a program that runs by itself and within bounds, to be waited for. */
  public Run runBounded(String project, String idOrName, CommandRequest request, Bounds bounds) {
    return use(project, idOrName, sandbox -> sandbox.runs().start(request, bounds));
  }

  /** Starts a program that stays, and is kept until it is forgotten. */
  public Run startProcess(String project, String idOrName, CommandRequest request) {
    return use(
        project,
        idOrName,
        sandbox -> {
          checkpoints.beforeRun(sandbox);
          return sandbox.runs().start(request, true);
        });
  }

  public Run run(String project, String idOrName, String runId) {
    return use(project, idOrName, sandbox -> sandbox.runs().run(runId));
  }

  public List<ProcessInfo> processes(String project, String idOrName) {
    return use(project, idOrName, sandbox -> sandbox.runs().processes());
  }

  public void forget(String project, String idOrName, String runId) {
    act(project, idOrName, runs -> runs.forget(runId));
  }

  public List<ContextInfo> contexts(String project, String idOrName) {
    return use(project, idOrName, sandbox -> sandbox.runs().contexts());
  }

  public ContextInfo openContext(String project, String idOrName, ContextSpec spec) {
    return use(project, idOrName, sandbox -> sandbox.runs().openContext(spec, Map.of()));
  }

  public ContextInfo restartContext(String project, String idOrName, String name) {
    return use(project, idOrName, sandbox -> sandbox.runs().restartContext(name, Map.of()));
  }

  public void deleteContext(String project, String idOrName, String name) {
    act(project, idOrName, runs -> runs.deleteContext(name));
  }

  public void interruptContext(String project, String idOrName, String name) {
    act(project, idOrName, runs -> runs.interruptContext(name));
  }

  private void act(String project, String idOrName, Consumer<Runs> call) {
    boolean _ =
        use(
            project,
            idOrName,
            sandbox -> {
              call.accept(sandbox.runs());
              return true;
            });
  }

  public SandboxFiles files(String project, String idOrName) {
    return new SandboxFiles(new GuestFileSystem(use(project, idOrName, LiveSandbox::guest)));
  }
}
