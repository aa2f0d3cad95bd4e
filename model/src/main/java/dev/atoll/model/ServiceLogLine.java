package dev.atoll.model;

import java.time.Instant;

/**
 * A line that a service's program has written.
 *
 * @param instance the sandbox that it runs in
 * @param stream {@code stdout}, {@code stderr}, or {@code atoll} for what the server says of it
 */
public record ServiceLogLine(
    Instant time, String instance, int revision, String stream, String text) {}
