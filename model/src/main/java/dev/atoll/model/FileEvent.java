package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/** A change below a watched path; {@code from} is the old path of a move, where known. */
public record FileEvent(FileChange change, String path, @Nullable String from) {}
