package dev.atoll.cli;

import dev.atoll.model.AtollException;
import java.util.Map;
import java.util.regex.Pattern;

/** Says in the words of the command line what the API says in its own. */
final class OptionNames {
  /** Fields whose names are no English words, wherever they stand. */
  private static final Map<String, String> FIELDS =
      Map.ofEntries(
          Map.entry("memoryMiB", "--memory"),
          Map.entry("diskMiB", "--disk"),
          Map.entry("timeoutSeconds", "--timeout"),
          Map.entry("ttlSeconds", "--ttl"),
          Map.entry("idleTimeoutSeconds", "--idle-timeout"),
          Map.entry("onIdle", "--on-idle"),
          Map.entry("forkAhead", "--fork-ahead"),
          Map.entry("checkpoints.keep", "--checkpoints"));

  /** Fields that are words too: only at the beginning, where the failure names its field. */
  private static final Map<String, String> WORDS =
      Map.ofEntries(
          Map.entry("cpus", "--cpus"),
          Map.entry("env", "--env"),
          Map.entry("metadata", "--metadata"),
          Map.entry("labels", "--label"),
          Map.entry("count", "--count"),
          Map.entry("steps", "--steps"),
          Map.entry("warm", "--warm"),
          Map.entry("max", "--max"),
          Map.entry("cwd", "--workdir"),
          Map.entry("user", "--user"),
          Map.entry("context", "--context"));

  private OptionNames() {}

  static String message(AtollException failure) {
    String text = String.valueOf(failure.getMessage());
    Object field = failure.details().get("field");
    String option = field instanceof String name ? WORDS.get(name) : null;
    if (option != null && text.startsWith(field + " ")) {
      return option + text.substring(String.valueOf(field).length());
    }
    return translate(text);
  }

  static String translate(String text) {
    String result = text;
    for (Map.Entry<String, String> field : FIELDS.entrySet()) {
      result =
          result.replaceAll(
              "(?<![\\w.-])" + Pattern.quote(field.getKey()) + "(?![\\w.-]\\w)", field.getValue());
    }
    return result;
  }
}
