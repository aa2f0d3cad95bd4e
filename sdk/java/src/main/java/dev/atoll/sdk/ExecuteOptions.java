package dev.atoll.sdk;

import dev.atoll.model.ExecuteRequest;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.RunEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a program is to run once, set in a lambda: {@code atoll.execute("c", code, e -> e.stdin("2
 * 3").args("-v").timeout(Duration.ofSeconds(5)))}.
 */
public final class ExecuteOptions {
  private final RunListeners listeners = new RunListeners();
  private final NetworkChoice network = new NetworkChoice();
  private final Map<String, String> files = new HashMap<>();
  private final Map<String, String> env = new HashMap<>();
  private final List<String> args = new ArrayList<>();
  private final List<String> secrets = new ArrayList<>();
  private @Nullable String stdin;
  private @Nullable Double timeoutSeconds;
  private @Nullable Double compileTimeoutSeconds;
  private @Nullable Long maxOutputBytes;
  private @Nullable String template;
  private @Nullable Double cpus;
  private @Nullable Integer memoryMiB;
  private @Nullable Integer diskMiB;
  private @Nullable Integer processes;

  ExecuteOptions() {}

  /** A further file, by its path below the folder that the program runs in. */
  public ExecuteOptions file(String path, String content) {
    files.put(path, content);
    return this;
  }

  /** Text for its standard input, which then ends. */
  public ExecuteOptions stdin(String text) {
    stdin = text;
    return this;
  }

  /** Its arguments. */
  public ExecuteOptions args(String... arguments) {
    args.addAll(List.of(arguments));
    return this;
  }

  /** A variable of the program. */
  public ExecuteOptions env(String variable, String value) {
    env.put(variable, value);
    return this;
  }

  /** After that time all its processes are killed. */
  public ExecuteOptions timeout(Duration limit) {
    timeoutSeconds = Seconds.of(limit);
    return this;
  }

  /** The same for the compiler; a minute by default. */
  public ExecuteOptions compileTimeout(Duration limit) {
    compileTimeoutSeconds = Seconds.of(limit);
    return this;
  }

  /** How much of its output is delivered. */
  public ExecuteOptions maxOutputBytes(long limit) {
    maxOutputBytes = limit;
    return this;
  }

  /** Where to run it; by default the first template of the server that has the language. */
  public ExecuteOptions template(String name) {
    template = name;
    return this;
  }

  /** How many CPUs' worth of time the sandbox may use. */
  public ExecuteOptions cpus(double count) {
    cpus = count;
    return this;
  }

  /** Memory of everything in the sandbox, in MiB. */
  public ExecuteOptions memoryMiB(int mebibytes) {
    memoryMiB = mebibytes;
    return this;
  }

  /** How much the sandbox may write, in MiB. */
  public ExecuteOptions diskMiB(int mebibytes) {
    diskMiB = mebibytes;
    return this;
  }

  /** How many processes and threads the sandbox may have. */
  public ExecuteOptions processes(int count) {
    processes = count;
    return this;
  }

  /** How much of the network it may reach; {@link NetworkMode#PACKAGES} by default. */
  public ExecuteOptions network(NetworkMode mode) {
    network.mode(mode);
    return this;
  }

  /** What it may reach besides what the mode allows. */
  public ExecuteOptions allow(String... rules) {
    network.allow(rules);
    return this;
  }

  /** What it may not reach, whatever else allows it. */
  public ExecuteOptions deny(String... rules) {
    network.deny(rules);
    return this;
  }

  /** Secrets of the project that its requests may use, by name. */
  public ExecuteOptions secret(String... names) {
    secrets.addAll(List.of(names));
    return this;
  }

  /** Called with standard output as it comes, on the thread that waits for the program. */
  public ExecuteOptions onStdout(Consumer<String> consumer) {
    listeners.stdout(consumer);
    return this;
  }

  /** Called with standard error as it comes, on the thread that waits for the program. */
  public ExecuteOptions onStderr(Consumer<String> consumer) {
    listeners.stderr(consumer);
    return this;
  }

  /** Called with every event, on the thread that waits for the program. */
  public ExecuteOptions onEvent(Consumer<RunEvent> consumer) {
    listeners.events(consumer);
    return this;
  }

  Consumer<RunEvent> listeners() {
    return listeners;
  }

  ExecuteRequest request(String language, String code) {
    return new ExecuteRequest(
        language,
        code,
        files.isEmpty() ? null : files,
        stdin,
        args.isEmpty() ? null : args,
        env.isEmpty() ? null : env,
        timeoutSeconds,
        compileTimeoutSeconds,
        maxOutputBytes,
        template,
        cpus,
        memoryMiB,
        diskMiB,
        processes,
        network.policy(),
        secrets.isEmpty() ? null : secrets);
  }
}
