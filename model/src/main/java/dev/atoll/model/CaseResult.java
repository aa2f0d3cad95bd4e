package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * How a program did in one case.
 *
 * @param number from 1, in the order of the request
 * @param exitCode as a shell would report it
 * @param stdout the beginning of what it printed
 * @param stderr the beginning of what it printed there
 * @param diff the first difference between the expected output (-) and its own (+)
 * @param durationMillis from its start to its end
 * @param cpuMillis processor time of all its processes
 * @param maxRssBytes the most memory that all its processes held at a time
 * @param message what a person should know
 */
public record CaseResult(
    int number,
    @Nullable String name,
    Verdict verdict,
    int exitCode,
    @Nullable String signal,
    String stdout,
    String stderr,
    @Nullable String diff,
    long durationMillis,
    long cpuMillis,
    long maxRssBytes,
    @Nullable String message) {}
