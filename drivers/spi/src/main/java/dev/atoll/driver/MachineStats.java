package dev.atoll.driver;

/**
 * What a machine uses on the host.
 *
 * @param memoryBytes resident memory of all its processes, shared pages counted once
 * @param diskBytes allocated for what the guest wrote
 */
public record MachineStats(long memoryBytes, long diskBytes, long cpuMicros) {}
