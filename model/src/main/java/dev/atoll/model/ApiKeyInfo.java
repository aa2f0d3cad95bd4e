package dev.atoll.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An API key.
 *
 * @param prefix its first characters, to recognise it by
 * @param secret the key itself; only in the answer that creates it
 */
public record ApiKeyInfo(
    String id,
    String name,
    String project,
    String prefix,
    Instant createdAt,
    @Nullable Instant lastUsedAt,
    @Nullable String secret) {}
