package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * A program that ran once.
 *
 * @param status {@code compilation_error} when it did not come to run
 * @param exitCode as a shell would report it; of the compiler when the program did not come to run
 * @param compile what the compiler said; null for languages without one
 * @param cutBytes how many bytes of output were dropped; a marker stands where they were
 * @param durationMillis how long the program ran, measured beside it
 * @param cpuMillis processor time of all its processes
 * @param maxRssBytes the most memory that all its processes held at a time
 */
public record ExecuteResult(
    RunStatus status,
    int exitCode,
    @Nullable String signal,
    String stdout,
    String stderr,
    @Nullable Compilation compile,
    long cutBytes,
    long durationMillis,
    @Nullable Long cpuMillis,
    @Nullable Long maxRssBytes,
    @Nullable String message) {

  /** Whether it ended with success. */
  public boolean ok() {
    return status == RunStatus.OK;
  }
}
