package dev.atoll.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A warm pool.
 *
 * @param warm how many should be ready
 * @param max how many there may be, ready and claimed together
 * @param network what its sandboxes may reach unless their claim says otherwise
 * @param ready how many are ready now
 * @param claimed how many living sandboxes came from it
 * @param hits claims that were served from it since the server started
 * @param misses claims that found it empty
 * @param oldestSeconds age of the oldest ready one
 * @param refillMillis how long the last refill of one took
 * @param problem why the last refill failed, if it did
 */
public record PoolInfo(
    String id,
    @Nullable String name,
    String template,
    @Nullable String snapshot,
    int warm,
    int max,
    double cpus,
    int memoryMiB,
    int diskMiB,
    int processes,
    NetworkPolicy network,
    int ready,
    int claimed,
    long hits,
    long misses,
    @Nullable Double oldestSeconds,
    @Nullable Double refillMillis,
    @Nullable String problem,
    Instant createdAt) {}
