package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * A file that two states do not have in common.
 *
 * @param fromSize null when it was added
 * @param toSize null when it was removed
 * @param unified a unified diff, when both sides are text of moderate size
 */
public record FileDifference(
    String path,
    Change change,
    FileKind kind,
    @Nullable Long fromSize,
    @Nullable Long toSize,
    @Nullable String unified) {}
