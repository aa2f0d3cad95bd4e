package dev.atoll.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A build of a template.
 *
 * @param state {@code running}, {@code done}, {@code failed} or {@code cancelled}
 * @param version what came out of it
 * @param message why it failed
 */
public record BuildInfo(
    String id,
    String template,
    String state,
    @Nullable Integer version,
    @Nullable String message,
    Instant startedAt,
    @Nullable Instant endedAt) {}
