package dev.atoll.model;

/** What a sandbox uses right now. */
public record SandboxStats(
    long memoryBytes,
    long memoryLimitBytes,
    long diskBytes,
    long diskLimitBytes,
    int processes,
    long cpuMillis) {}
