package dev.atoll.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox or a kept state in a tree of states.
 *
 * @param parent the node that this one comes from; null for the first, or when it is no more
 * @param state of a sandbox or of a snapshot, as on the wire
 * @param note what a person may want to read beside it: the run of a checkpoint
 */
public record StateNode(
    String id,
    StateKind kind,
    @Nullable String parent,
    @Nullable String name,
    String state,
    @Nullable String note,
    Instant createdAt) {}
