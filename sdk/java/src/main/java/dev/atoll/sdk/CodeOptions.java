package dev.atoll.sdk;

import dev.atoll.model.RunCodeRequest;
import dev.atoll.model.RunEvent;
import dev.atoll.model.WhenBusy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
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
  private @Nullable Boolean detached;
  private @Nullable Double reconnectSeconds;
  private @Nullable String id;
  private @Nullable WhenBusy whenBusy;
  private @Nullable Function<RunEvent.InputRequest, @Nullable String> answers;

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

  /**
   * An id of your own for the run, by which it can be cancelled and followed. A second request with
   * it gives the same run, as long as that is remembered.
   */
  public CodeOptions id(String runId) {
    id = runId;
    return this;
  }

  /** What happens while the context executes something else; it waits by default. */
  public CodeOptions whenBusy(WhenBusy choice) {
    whenBusy = choice;
    return this;
  }

  /** It goes on when this program ends or its connection breaks; closing the stream cancels it. */
  public CodeOptions detached() {
    detached = true;
    return this;
  }

  /**
   * It ends when nobody has followed it for that long; as long as a stream reconnects otherwise.
   */
  public CodeOptions reconnect(Duration time) {
    reconnectSeconds = Seconds.of(time);
    return this;
  }

  /**
   * Answers what the code asks, as by {@code input()} and {@code getpass}: {@code onInput(question
   * -> "answer")}. Called on the thread that waits for the run, which waits meanwhile, though not
   * longer than its timeout. An answer is one line; null is the end of the input. Without this,
   * code that asks fails at once.
   */
  public CodeOptions onInput(Function<RunEvent.InputRequest, @Nullable String> function) {
    answers = function;
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

  @Nullable Function<RunEvent.InputRequest, @Nullable String> answers() {
    return answers;
  }

  Consumer<RunEvent> listeners() {
    return listeners;
  }

  RunCodeRequest request(String code) {
    return new RunCodeRequest(
        code,
        language,
        context,
        env.isEmpty() ? null : env,
        timeoutSeconds,
        maxOutputBytes,
        detached,
        reconnectSeconds,
        id,
        whenBusy,
        answers == null ? null : true);
  }
}
