package dev.atoll.sdk;

import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunEvent;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How code is to run, set in a lambda: {@code sandbox.runCode(code, c ->
 * c.timeout(Duration.ofSeconds(5)).onStdout(System.out::print))}.
 */
public final class CodeOptions {
  private final RunListeners listeners = new RunListeners();
  private final Map<String, String> env = new HashMap<>();
  private @Nullable String language;
  private @Nullable String context;
  private @Nullable Double timeoutSeconds;
  private @Nullable Long maxOutputBytes;

  CodeOptions() {}

  /** The language, such as {@code bash} or {@code js}; by default that of the sandbox. */
  public CodeOptions language(String name) {
    language = name;
    return this;
  }

  /** The context that keeps the variables; each language has one by default. */
  public CodeOptions context(String name) {
    context = name;
    return this;
  }

  /** A variable for this run alone. */
  public CodeOptions env(String name, String value) {
    env.put(name, value);
    return this;
  }

  /** After that time the run is interrupted; it then ends with {@code RunStatus.TIMEOUT}. */
  public CodeOptions timeout(Duration limit) {
    timeoutSeconds = Seconds.of(limit);
    return this;
  }

  /** How much of stdout and of stderr is delivered. */
  public CodeOptions maxOutputBytes(long limit) {
    maxOutputBytes = limit;
    return this;
  }

  /** Called with standard output as it comes, on the thread that waits for the run. */
  public CodeOptions onStdout(Consumer<String> consumer) {
    listeners.stdout(consumer);
    return this;
  }

  /** Called with standard error as it comes, on the thread that waits for the run. */
  public CodeOptions onStderr(Consumer<String> consumer) {
    listeners.stderr(consumer);
    return this;
  }

  /** Called with every event, on the thread that waits for the run. */
  public CodeOptions onEvent(Consumer<RunEvent> consumer) {
    listeners.events(consumer);
    return this;
  }

  Consumer<RunEvent> listeners() {
    return listeners;
  }

  RunCodeRequest request(String code) {
    return new RunCodeRequest(
        code, language, context, env.isEmpty() ? null : env, timeoutSeconds, maxOutputBytes);
  }
}
