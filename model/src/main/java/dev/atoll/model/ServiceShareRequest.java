package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * Asks for a token to a service.
 *
 * @param ttlSeconds how long it is good for; a day by default, a year at most
 */
public record ServiceShareRequest(@Nullable Double ttlSeconds) {}
