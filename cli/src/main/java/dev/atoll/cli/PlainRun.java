package dev.atoll.cli;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the usual forms of {@code atoll run} without picocli.
 *
 * <p>picocli's classes are of a format too old for the JDK's AOT cache and take 100 ms and more to
 * load, which is most of a warm run. What is not plain goes to picocli, which alone decides what is
 * an error; a test holds the two together.
 */
final class PlainRun {
  private static final Map<String, String> OPTIONS =
      Map.ofEntries(
          Map.entry("-c", "code"),
          Map.entry("--code", "code"),
          Map.entry("-s", "sandbox"),
          Map.entry("--sandbox", "sandbox"),
          Map.entry("-l", "language"),
          Map.entry("--language", "language"),
          Map.entry("-t", "template"),
          Map.entry("--template", "template"),
          Map.entry("--from", "snapshot"),
          Map.entry("--memory", "memory"),
          Map.entry("--timeout", "timeout"));

  private PlainRun() {}

  /** The command that these arguments mean, or nothing if picocli should look at them. */
  static Optional<RunCommand> parse(String[] args) {
    if (args.length < 2 || !args[0].equals("run")) {
      return Optional.empty();
    }
    Map<String, String> values = new HashMap<>();
    for (int i = 1; i < args.length; i++) {
      String option = OPTIONS.get(args[i]);
      boolean positional = !args[i].startsWith("-") || args[i].equals("-");
      if (option == null && !positional) {
        return Optional.empty();
      }
      if (option != null && ++i == args.length) {
        return Optional.empty();
      }
      if (!plain(args[i]) || values.put(option == null ? "file" : option, args[i]) != null) {
        return Optional.empty();
      }
    }
    return command(values);
  }

  private static Optional<RunCommand> command(Map<String, String> values) {
    RunCommand run = new RunCommand();
    run.file = values.get("file");
    run.code = values.get("code");
    run.sandbox = values.get("sandbox");
    run.language = values.get("language");
    run.settings.template = values.get("template");
    run.settings.snapshot = values.get("snapshot");
    run.settings.memory = values.get("memory");
    String timeout = values.get("timeout");
    Optional<Duration> parsed = timeout == null ? Optional.empty() : Durations.parse(timeout);
    run.timeout = parsed.orElse(null);
    return timeout != null && parsed.isEmpty() ? Optional.empty() : Optional.of(run);
  }

  /** What picocli might read in a way of its own: options, quotes, variables, files of words. */
  private static boolean plain(String value) {
    return value.equals("-")
        || (!value.startsWith("-")
            && !value.startsWith("@")
            && !value.startsWith("\"")
            && !value.contains("${"));
  }
}
