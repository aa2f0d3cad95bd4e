package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * What the compiler said.
 *
 * @param output its standard output and standard error in the order in which they came, as much as
 *     is kept of it
 * @param message why it ended, when that was not by itself
 */
public record Compilation(
    boolean ok,
    int exitCode,
    String output,
    long durationMillis,
    @Nullable Long cpuMillis,
    @Nullable Long maxRssBytes,
    @Nullable String message) {}
