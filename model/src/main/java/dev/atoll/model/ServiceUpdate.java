package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * A change to a service that needs no deployment; what is null stays as it is. The fields are those
 * of {@link ServiceSpec}.
 */
public record ServiceUpdate(
    @Nullable Integer min,
    @Nullable Integer max,
    @Nullable Double idleSeconds,
    @Nullable Integer concurrency,
    @Nullable PortAccess access) {}
