package dev.atoll.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A whole run, for callers that do not stream.
 *
 * @param result the value of the last expression as a MIME bundle
 * @param displays what was shown on the way
 * @param cutBytes how many bytes of output were dropped; a marker stands where they were
 */
public record RunResult(
    String id,
    RunStatus status,
    int exitCode,
    @Nullable String signal,
    String stdout,
    String stderr,
    @Nullable Map<String, Object> result,
    List<Map<String, Object>> displays,
    @Nullable RunError error,
    long cutBytes,
    long durationMillis,
    @Nullable Long cpuMillis,
    @Nullable Long maxRssBytes,
    @Nullable String message) {
  public RunResult {
    result = result == null ? null : Map.copyOf(result);
    displays = displays == null ? List.of() : List.copyOf(displays);
  }

  /** The last expression's value as text, or null. */
  public @Nullable String text() {
    Object text = result == null ? null : result.get("text/plain");
    return text == null ? null : text.toString();
  }

  /** Whether it ended with success. */
  public boolean ok() {
    return status == RunStatus.OK;
  }
}
