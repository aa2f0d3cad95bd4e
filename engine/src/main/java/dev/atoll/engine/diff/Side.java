package dev.atoll.engine.diff;

import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.run.Runs;

/**
 * One side of a comparison: a running guest.
 *
 * @param id of its sandbox or snapshot, as the caller knows it
 */
public record Side(String id, Guest guest, Runs runs) {}
