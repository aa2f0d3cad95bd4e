package dev.atoll.sdk;

import dev.atoll.model.CommandRequest;
import dev.atoll.model.ProcessInfo;
import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunEvent;
import dev.atoll.model.RunResult;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxStats;
import dev.atoll.model.SandboxUpdate;
import java.util.List;
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
  private final Api api;
  private final String id;
  private final boolean owner;
  private final RunOrigin runs;

  Sandbox(Api api, String id, boolean owner) {
    this.api = api;
    this.id = id;
    this.owner = owner;
    this.runs = new RunOrigin(api, Sandboxes.path(id));
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
    return stream("/code", chosen.request(code), chosen.listeners());
  }

  /** Runs code; its events are read while they happen. */
  public RunStream streamCode(RunCodeRequest request) {
    return stream("/code", request, event -> {});
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
    return stream("/commands", request, event -> {});
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

  /** The events of a run, command or process from an output offset on; leaves it alone. */
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

  /** Changes lifetime, variables or labels. */
  public SandboxInfo update(SandboxUpdate update) {
    return api.call(ApiRequest.patch(path()).json(update), SandboxInfo.class);
  }

  /** Freezes it in memory; it uses no CPU until {@link #resume()}. */
  public SandboxInfo pause() {
    return api.call(ApiRequest.post(path() + "/pause"), SandboxInfo.class);
  }

  /** Lets a paused sandbox go on. */
  public SandboxInfo resume() {
    return api.call(ApiRequest.post(path() + "/resume"), SandboxInfo.class);
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
    try (RunStream run = stream("/commands", chosen.request(argv, shell), chosen.listeners())) {
      return run.result();
    }
  }

  private RunStream stream(String operation, Object body, Consumer<RunEvent> listener) {
    return RunStream.start(runs, ApiRequest.post(path() + operation).json(body), listener);
  }

  private String path() {
    return Sandboxes.path(id);
  }
}
