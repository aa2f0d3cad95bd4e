package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * A top-level variable that two states do not have in common.
 *
 * @param from the old value, shortened; null when it was added
 * @param to the new value, shortened; null when it was removed
 */
public record VariableDifference(
    String context, String name, Change change, @Nullable String from, @Nullable String to) {}
