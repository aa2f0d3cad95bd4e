package dev.atoll.sdk;

import dev.atoll.model.CaseResult;
import dev.atoll.model.JudgeCase;
import dev.atoll.model.JudgeRequest;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.OutputMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a program is judged, set in a lambda: {@code atoll.judge("c", code, j -> j.expect("2 3",
 * "5").expect("10 20", "30").timeLimit(Duration.ofSeconds(1)))}.
 */
public final class JudgeOptions {
  private final NetworkChoice network = new NetworkChoice();
  private final Map<String, String> files = new HashMap<>();
  private final Map<String, String> env = new HashMap<>();
  private final List<String> args = new ArrayList<>();
  private final List<JudgeCase> cases = new ArrayList<>();
  private Consumer<CaseResult> onCase = result -> {};
  private @Nullable OutputMatch match;
  private @Nullable Double tolerance;
  private @Nullable Double timeLimitSeconds;
  private @Nullable Integer memoryLimitMiB;
  private @Nullable Double compileTimeoutSeconds;
  private @Nullable Long maxOutputBytes;
  private @Nullable Boolean stopAtFirstFailure;
  private @Nullable String template;
  private @Nullable Double cpus;

  JudgeOptions() {}

  /** A case: for this input that output is expected. */
  public JudgeOptions expect(String stdin, String output) {
    return add(JudgeCase.of(stdin, output));
  }

  /** A case with limits or a comparison of its own. */
  public JudgeOptions add(JudgeCase one) {
    cases.add(one);
    return this;
  }

  /** When an output is taken for the expected one; {@link OutputMatch#TRIMMED} by default. */
  public JudgeOptions match(OutputMatch how) {
    match = how;
    return this;
  }

  /** Compares numbers, which may differ by that much, or by that part of the expected one. */
  public JudgeOptions tolerance(double difference) {
    tolerance = difference;
    return this;
  }

  /** Processor time of one run; two seconds by default. */
  public JudgeOptions timeLimit(Duration limit) {
    timeLimitSeconds = Seconds.of(limit);
    return this;
  }

  /** Memory of all processes of a run at a time; 256 MiB by default. */
  public JudgeOptions memoryLimitMiB(int mebibytes) {
    memoryLimitMiB = mebibytes;
    return this;
  }

  /** After that time the compiler is killed; a minute by default. */
  public JudgeOptions compileTimeout(Duration limit) {
    compileTimeoutSeconds = Seconds.of(limit);
    return this;
  }

  /** How much a run may print; 4 MiB by default. */
  public JudgeOptions maxOutputBytes(long limit) {
    maxOutputBytes = limit;
    return this;
  }

  /** Leaves out the cases behind the first that is not accepted. */
  public JudgeOptions stopAtFirstFailure() {
    stopAtFirstFailure = true;
    return this;
  }

  /** A further file, by its path below the folder that the program runs in. */
  public JudgeOptions file(String path, String content) {
    files.put(path, content);
    return this;
  }

  /** Arguments of all cases that have none of their own. */
  public JudgeOptions args(String... arguments) {
    args.addAll(List.of(arguments));
    return this;
  }

  /** A variable of the program. */
  public JudgeOptions env(String variable, String value) {
    env.put(variable, value);
    return this;
  }

  /** Where to run it; by default the first template of the server that has the language. */
  public JudgeOptions template(String name) {
    template = name;
    return this;
  }

  /** How many CPUs' worth of time the sandbox may use. */
  public JudgeOptions cpus(double count) {
    cpus = count;
    return this;
  }

  /** How much of the network it may reach; nothing by default. */
  public JudgeOptions network(NetworkMode mode) {
    network.mode(mode);
    return this;
  }

  /** Called with each case that has ended, on the thread that waits. */
  public JudgeOptions onCase(Consumer<CaseResult> consumer) {
    onCase = consumer;
    return this;
  }

  Consumer<CaseResult> listener() {
    return onCase;
  }

  JudgeRequest request(String language, String code) {
    return new JudgeRequest(
        language,
        code,
        files.isEmpty() ? null : files,
        cases.isEmpty() ? null : cases,
        null,
        null,
        args.isEmpty() ? null : args,
        env.isEmpty() ? null : env,
        match,
        tolerance,
        timeLimitSeconds,
        memoryLimitMiB,
        compileTimeoutSeconds,
        maxOutputBytes,
        stopAtFirstFailure,
        template,
        cpus,
        network.policy());
  }
}
