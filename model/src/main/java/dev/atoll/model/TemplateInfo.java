package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * A template that sandboxes can be made from.
 *
 * @param state {@code absent}, {@code building}, {@code ready} or {@code failed}
 * @param message what is being done, or why it failed
 */
public record TemplateInfo(String name, String digest, String state, @Nullable String message) {}
