package dev.atoll.sdk;

import dev.atoll.model.CaseResult;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.ForkRequest;
import dev.atoll.model.JudgeRequest;
import dev.atoll.model.JudgeResult;
import dev.atoll.model.MergeRequest;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RewindRequest;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxStats;
import dev.atoll.model.SandboxUpdate;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotRequest;
import dev.atoll.model.StateDiff;
import dev.atoll.model.StateTree;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox: a computer of its own in which code runs, isolated, with files and variables that stay
 * from one call to the next.
 *
 * <p>Thread-safe. What fails inside the sandbox is told in the {@link RunResult}; exceptions are
 * for what fails in Atoll.
 */
public final class Sandbox implements AutoCloseable {
  private static final double MOST_RECONNECT = 3600;

  private final Api api;
  private final String id;
  private final boolean owner;
  private final RunOrigin runs;
  private final StateCalls state;

  Sandbox(Api api, String id, boolean owner) {
    this.api = api;
    this.id = id;
    this.owner = owner;
    this.runs = new RunOrigin(api, Sandboxes.path(id));
    this.state = new StateCalls(api, Sandboxes.path(id));
  }

  /** The handle of whoever made it: closing it ends the sandbox, unless that is persistent. */
  static Sandbox made(Api api, SandboxInfo info) {
    return new Sandbox(api, info.id(), !info.persistent());
  }

  /** Its id, or the name by which a {@linkplain Sandboxes#handle handle} was made. */
  public String id() {
    return id;
  }

  /** What the server knows of it now. */
  public SandboxInfo info() {
    return api.call(ApiRequest.get(path()), SandboxInfo.class);
  }

  /** Runs Python in the default context and waits for its end. */
  public RunResult runCode(String code) {
    return runCode(code, options -> {});
  }

  /**
   * Runs code and waits for its end: {@code runCode(code, c -> c.context("a").onStdout(...))}. An
   * interrupt of the calling thread cancels the run.
   */
  public RunResult runCode(String code, Consumer<CodeOptions> options) {
    try (RunStream run = streamCode(code, options)) {
      return run.result();
    }
  }

  /** Runs code and waits for its end. */
  public RunResult runCode(RunCodeRequest request) {
    try (RunStream run = streamCode(request)) {
      return run.result();
    }
  }

  /** Runs Python in the default context; its events are read while they happen. */
  public RunStream streamCode(String code) {
    return streamCode(code, options -> {});
  }

  /** Runs code; its events are read while they happen. */
  public RunStream streamCode(String code, Consumer<CodeOptions> options) {
    CodeOptions chosen = new CodeOptions();
    options.accept(chosen);
    return stream("/code", followed(chosen.request(code)), chosen.listeners())
        .answering(chosen.answers());
  }

  /**
   * Runs code; its events are read while they happen. Of code that was asked for with {@code
   * answersInput}, {@link RunStream#answer} answers the questions among them.
   */
  public RunStream streamCode(RunCodeRequest request) {
    return stream("/code", followed(request), event -> {});
  }

  /**
   * Judges a program by its output: {@code judge("c", code, j -> j.expect("2 3", "5"))}. It reads
   * the files of this sandbox and changes none.
   */
  public JudgeResult judge(String language, String code, Consumer<JudgeOptions> options) {
    JudgeOptions chosen = new JudgeOptions();
    options.accept(chosen);
    return judge(chosen.request(language, code), chosen.listener());
  }

  /** Judges a program; the listener is called with each case that has ended. */
  public JudgeResult judge(JudgeRequest request, Consumer<CaseResult> listener) {
    return Judgement.of(api, path() + "/judge", request, listener);
  }

  /** Runs a program and waits for its end: {@code run("ls", "-l")}. */
  public RunResult run(String... argv) {
    return run(CommandRequest.argv(List.of(argv)));
  }

  /** Runs a program and waits for its end. */
  public RunResult run(List<String> argv, Consumer<CommandOptions> options) {
    return run(argv, null, options);
  }

  /** Runs a shell command line and waits for its end. */
  public RunResult shell(String command) {
    return run(CommandRequest.shell(command));
  }

  /** Runs a shell command line and waits for its end. */
  public RunResult shell(String command, Consumer<CommandOptions> options) {
    return run(null, command, options);
  }

  /** Runs a program and waits for its end. */
  public RunResult run(CommandRequest request) {
    try (RunStream run = stream(request)) {
      return run.result();
    }
  }

  /** Runs a program; its events are read while they happen. */
  public RunStream stream(CommandRequest request) {
    return stream("/commands", followed(request), event -> {});
  }

  /** Starts a program in the background: {@code start("python3", "-m", "http.server")}. */
  public RemoteProcess start(String... argv) {
    return start(CommandRequest.argv(List.of(argv)));
  }

  /** Starts a program in the background. */
  public RemoteProcess start(List<String> argv, Consumer<CommandOptions> options) {
    CommandOptions chosen = new CommandOptions();
    options.accept(chosen);
    return start(chosen.request(argv, null));
  }

  /** Starts a program in the background. */
  public RemoteProcess start(CommandRequest request) {
    ProcessInfo info =
        api.call(ApiRequest.post(path() + "/processes").json(request), ProcessInfo.class);
    return new RemoteProcess(runs, info.id(), info.pid());
  }

  /** The background processes, also those that have ended and are still kept. */
  public List<ProcessInfo> processes() {
    return api.page(ApiRequest.get(path() + "/processes"), ProcessInfo.class).items();
  }

  /** A background process that was started before. */
  public RemoteProcess process(String runId) {
    ProcessInfo info =
        api.call(
            ApiRequest.get(path() + "/processes/" + ApiRequest.segment(runId)), ProcessInfo.class);
    return new RemoteProcess(runs, info.id(), info.pid());
  }

  /**
   * The events of a run, command or process from an output offset on; leaves it alone. It does not
   * wait for long: whoever reads slowly is told how much he missed.
   */
  public RunStream attach(String runId, long fromOffset) {
    return RunStream.attach(runs, runId, fromOffset);
  }

  /** Starts a program in a terminal: {@code terminal(List.of("bash"), c -> c.pty(24, 80))}. */
  public Terminal terminal(List<String> argv, Consumer<CommandOptions> options) {
    RemoteProcess process = start(argv, options.andThen(Terminal::defaultSize));
    return Terminal.open(api, path(), process);
  }

  /** The language contexts. */
  public Contexts contexts() {
    return new Contexts(api, path());
  }

  /** The files. */
  public SandboxFiles files() {
    return new SandboxFiles(api, path());
  }

  /** The ports that its programs listen on, and the ways to them. */
  public SandboxPorts ports() {
    return new SandboxPorts(api, path());
  }

  /** The packages that are installed in it. */
  public SandboxPackages packages() {
    return new SandboxPackages(api, path());
  }

  /** What it may reach. */
  public SandboxNetwork network() {
    return new SandboxNetwork(api, path());
  }

  /** Changes lifetime, variables, labels, the network, or what is kept and prepared. */
  public SandboxInfo update(SandboxUpdate update) {
    return api.call(ApiRequest.patch(path()).json(update), SandboxInfo.class);
  }

  /**
   * Changes what the lambda says: {@code sandbox.update(s -> s.onIdle(OnIdle.HIBERNATE))}. What it
   * does not say stays as it is.
   */
  public SandboxInfo update(Consumer<SandboxChanges> changes) {
    SandboxChanges wanted = new SandboxChanges();
    changes.accept(wanted);
    return update(wanted.update());
  }

  /** Lets it live that long from now on, whatever was left of its lifetime. */
  public SandboxInfo extend(Duration lifetime) {
    return update(changes -> changes.ttl(lifetime));
  }

  /** Freezes it in memory; it uses no CPU until {@link #resume()}. */
  public SandboxInfo pause() {
    return api.call(ApiRequest.post(path() + "/pause"), SandboxInfo.class);
  }

  /** Lets a paused sandbox go on. */
  public SandboxInfo resume() {
    return api.call(ApiRequest.post(path() + "/resume"), SandboxInfo.class);
  }

  /** Keeps its whole state, processes and variables included; the sandbox goes on. */
  public SnapshotInfo snapshot() {
    return snapshot(SnapshotRequest.unnamed());
  }

  /** Keeps its whole state under a name, unique in the project; the sandbox goes on. */
  public SnapshotInfo snapshot(String name) {
    return snapshot(new SnapshotRequest(name, Map.of(), SnapshotKind.MEMORY));
  }

  /** Keeps its state, or its files alone; the sandbox goes on. */
  public SnapshotInfo snapshot(SnapshotRequest request) {
    return state.snapshot(request);
  }

  /** Makes one copy that goes on from here by itself, with the same processes and variables. */
  public Sandbox fork() {
    return fork(1).get(0);
  }

  /**
   * Makes copies that go on from here by themselves, each with the same processes and variables.
   * The sandbox itself goes on too.
   *
   * @throws InsufficientMemoryException if the host has not enough memory for all; there is none
   */
  public List<Sandbox> fork(int count) {
    return fork(ForkRequest.of(count));
  }

  /** Makes copies as {@link #fork(int)} does, with labels or a lifetime of their own. */
  public List<Sandbox> fork(ForkRequest request) {
    return state.fork(request).children().stream().map(child -> made(api, child)).toList();
  }

  /**
   * Goes on as one of its descendants, whose processes, variables and files it takes over; the
   * descendant ends with that. Other descendants live on.
   *
   * @throws NotRelatedException if the winner does not descend from this sandbox
   */
  public SandboxInfo merge(Sandbox winner) {
    return state.merge(new MergeRequest(winner.id(), false));
  }

  /** Goes on as a descendant as {@link #merge} does, and ends all other living descendants. */
  public SandboxInfo mergeAndDestroyOthers(Sandbox winner) {
    return state.merge(new MergeRequest(winner.id(), true));
  }

  /**
   * Goes back by so many runs; 1 is the state before the last one. Needs {@link
   * SandboxOptions#checkpointEveryRun()}.
   */
  public SandboxInfo rewind(int steps) {
    return state.rewind(new RewindRequest(null, steps));
  }

  /**
   * Goes back to the newest state that is kept of it: its last snapshot, or that after its last run
   * if it was made with {@link SandboxOptions#checkpointEveryRun()}. A sandbox that has failed, as
   * one that is lost, lives again in that state under its id.
   *
   * @throws SnapshotNotFoundException if none is kept
   */
  public SandboxInfo rewindToNewest() {
    return rewind(0);
  }

  /**
   * Goes back to a snapshot or checkpoint of this sandbox or of an ancestor, by id or name.
   *
   * @throws SnapshotNotFoundException if there is none
   */
  public SandboxInfo rewindTo(String snapshot) {
    return state.rewind(new RewindRequest(snapshot, null));
  }

  /** Its family: every sandbox and every kept state with the same origin. */
  public StateTree tree() {
    return state.tree();
  }

  /**
   * What another sandbox has changed compared with this one: files and variables.
   *
   * @throws NotRelatedException if the two have no common origin
   */
  public StateDiff diff(Sandbox other) {
    return StateCalls.diff(api, id, other.id());
  }

  /** Writes its memory to disk and frees it; the next run, program or access to a file wakes it. */
  public SandboxInfo hibernate() {
    return state.hibernate();
  }

  /** Brings a hibernated sandbox back, or lets a paused one go on. */
  public SandboxInfo wake() {
    return state.wake();
  }

  /** What it uses right now. */
  public SandboxStats stats() {
    return api.call(ApiRequest.get(path() + "/stats"), SandboxStats.class);
  }

  /** Ends it, also when it is persistent; nothing of it is left. */
  public void terminate() {
    api.evenIfInterrupted(() -> api.send(ApiRequest.delete(path())));
  }

  /**
   * Ends the sandbox if this object is the one that made it and it is not persistent; otherwise
   * does nothing.
   */
  @Override
  public void close() {
    if (!owner) {
      return;
    }
    try {
      terminate();
    } catch (SandboxNotFoundException e) {
      // It has ended before.
    }
  }

  private RunResult run(
      @Nullable List<String> argv, @Nullable String shell, Consumer<CommandOptions> options) {
    CommandOptions chosen = new CommandOptions();
    options.accept(chosen);
    try (RunStream run =
        stream("/commands", followed(chosen.request(argv, shell)), chosen.listeners())) {
      return run.result();
    }
  }

  /** A stream reconnects; for so long the run is to go on. */
  private RunCodeRequest followed(RunCodeRequest request) {
    return request.followed(reconnectSeconds());
  }

  private CommandRequest followed(CommandRequest request) {
    return request.followed(reconnectSeconds());
  }

  private double reconnectSeconds() {
    return Math.min(MOST_RECONNECT, Seconds.of(api.policy().reconnectTime()));
  }

  private RunStream stream(String operation, Object body, Consumer<RunEvent> listener) {
    return RunStream.start(runs, ApiRequest.post(path() + operation).json(body), listener);
  }

  private String path() {
    return Sandboxes.path(id);
  }
}
