package dev.atoll.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A deployment of a service.
 *
 * @param number from 1 on
 * @param template what it was made from; null when that is a snapshot, or the default
 * @param message why it failed
 */
public record ServiceRevision(
    int number,
    RevisionState state,
    String start,
    int port,
    @Nullable String template,
    @Nullable String snapshot,
    @Nullable String message,
    Instant createdAt) {}
