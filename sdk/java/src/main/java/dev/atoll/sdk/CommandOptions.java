package dev.atoll.sdk;

import dev.atoll.model.CommandRequest;
import dev.atoll.model.RunEvent;
import dev.atoll.model.TerminalSize;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a program is to run, set in a lambda: {@code sandbox.shell("make", c ->
 * c.cwd("/src").timeout(Duration.ofMinutes(5)))}.
 */
public final class CommandOptions {
  private final RunListeners listeners = new RunListeners();
  private final Map<String, String> env = new HashMap<>();
  private @Nullable String cwd;
  private @Nullable String user;
  private @Nullable String stdin;
  private @Nullable Boolean openStdin;
  private @Nullable TerminalSize pty;
  private @Nullable Double timeoutSeconds;
  private @Nullable Long maxOutputBytes;
  private @Nullable String name;
  private @Nullable Boolean detached;
  private @Nullable Double reconnectSeconds;
  private @Nullable String id;

  CommandOptions() {}

  /** The directory to run in; the user's home by default. */
  public CommandOptions cwd(String path) {
    cwd = path;
    return this;
  }

  /** A variable for this program alone. */
  public CommandOptions env(String variable, String value) {
    env.put(variable, value);
    return this;
  }

  /** The user to run as; {@code root} only where the template allows it. */
  public CommandOptions user(String userName) {
    user = userName;
    return this;
  }

  /** Text for its standard input, which then ends. */
  public CommandOptions stdin(String text) {
    stdin = text;
    return this;
  }

  /** Keeps standard input open for {@link RemoteProcess#write}; only with {@code start}. */
  public CommandOptions openStdin() {
    openStdin = true;
    return this;
  }

  /** Gives it a terminal; only with {@code start} and {@code terminal}. */
  public CommandOptions pty(int rows, int columns) {
    pty = new TerminalSize(rows, columns);
    return this;
  }

  /** After that time the whole process tree is killed. */
  public CommandOptions timeout(Duration limit) {
    timeoutSeconds = Seconds.of(limit);
    return this;
  }

  /** How much of its output is delivered. */
  public CommandOptions maxOutputBytes(long limit) {
    maxOutputBytes = limit;
    return this;
  }

  /** A label to find the process by. */
  public CommandOptions name(String label) {
    name = label;
    return this;
  }

  /**
   * An id of your own for the run, by which it can be cancelled and followed. A second request with
   * it gives the same run, as long as that is remembered.
   */
  public CommandOptions id(String runId) {
    id = runId;
    return this;
  }

  /** It goes on when this program ends or its connection breaks; closing the stream cancels it. */
  public CommandOptions detached() {
    detached = true;
    return this;
  }

  /**
   * It ends when nobody has followed it for that long: this program has ended, or its connection is
   * broken. What {@code start} starts goes on otherwise.
   */
  public CommandOptions reconnect(Duration time) {
    reconnectSeconds = Seconds.of(time);
    return this;
  }

  /** Called with standard output as it comes, on the thread that waits for the run. */
  public CommandOptions onStdout(Consumer<String> consumer) {
    listeners.stdout(consumer);
    return this;
  }

  /** Called with standard error as it comes, on the thread that waits for the run. */
  public CommandOptions onStderr(Consumer<String> consumer) {
    listeners.stderr(consumer);
    return this;
  }

  /** Called with every event, on the thread that waits for the run. */
  public CommandOptions onEvent(Consumer<RunEvent> consumer) {
    listeners.events(consumer);
    return this;
  }

  void ptyIfAbsent(TerminalSize size) {
    pty = pty == null ? size : pty;
  }

  Consumer<RunEvent> listeners() {
    return listeners;
  }

  CommandRequest request(@Nullable List<String> argv, @Nullable String shell) {
    return new CommandRequest(
        argv,
        shell,
        cwd,
        env.isEmpty() ? null : env,
        user,
        stdin,
        openStdin,
        pty,
        timeoutSeconds,
        maxOutputBytes,
        name,
        detached,
        reconnectSeconds,
        id);
  }
}
