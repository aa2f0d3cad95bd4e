package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * Opens a space, which is a sandbox known by its name.
 *
 * @param create what to make when there is none of that name; null: it must exist
 */
public record SpaceRequest(@Nullable SandboxSpec create) {}
