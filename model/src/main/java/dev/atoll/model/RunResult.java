package dev.atoll.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A whole run, for callers that do not stream.
 *
 * @param result the value of the last expression
 * @param displays what was shown on the way: figures, tables, what {@code display()} was given
 * @param cutBytes how many bytes of output were dropped; a marker stands where they were
 */
public record RunResult(
    String id,
    RunStatus status,
    int exitCode,
    @Nullable String signal,
    String stdout,
    String stderr,
    @Nullable MimeBundle result,
    List<MimeBundle> displays,
    @Nullable RunError error,
    long cutBytes,
    long durationMillis,
    @Nullable Long cpuMillis,
    @Nullable Long maxRssBytes,
    @Nullable String message) {
  public RunResult {
    displays = displays == null ? List.of() : List.copyOf(displays);
  }

  /** The last expression's value as text; empty if it had none. */
  public Optional<String> text() {
    return Optional.ofNullable(result).map(MimeBundle::text);
  }

  /** All that was shown, in order: what was displayed on the way, then the last value. */
  public List<MimeBundle> shown() {
    List<MimeBundle> all = new ArrayList<>(displays);
    if (result != null) {
      all.add(result);
    }
    return List.copyOf(all);
  }

  /** The first image that was shown as PNG; figures of matplotlib are such. */
  public Optional<byte[]> png() {
    return first(MimeBundle::png);
  }

  public Optional<byte[]> jpeg() {
    return first(MimeBundle::jpeg);
  }

  public Optional<String> svg() {
    return first(MimeBundle::svg);
  }

  public Optional<byte[]> pdf() {
    return first(MimeBundle::pdf);
  }

  /** The first thing that was shown as HTML; tables of pandas are such. */
  public Optional<String> html() {
    return first(MimeBundle::html);
  }

  public Optional<String> markdown() {
    return first(MimeBundle::markdown);
  }

  public Optional<String> latex() {
    return first(MimeBundle::latex);
  }

  public Optional<Object> json() {
    return first(MimeBundle::json);
  }

  /** The data behind the first chart. */
  public Optional<Chart> chart() {
    return first(MimeBundle::chart);
  }

  private <T> Optional<T> first(Function<MimeBundle, Optional<T>> form) {
    return shown().stream().flatMap(bundle -> form.apply(bundle).stream()).findFirst();
  }

  /** Whether it ended with success. */
  public boolean ok() {
    return status == RunStatus.OK;
  }
}
