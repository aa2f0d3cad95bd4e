package dev.atoll.engine.diff;

import dev.atoll.engine.guest.Guest;
import dev.atoll.engine.run.Runs;

/** Stub. */
public record Side(String id, Guest guest, Runs runs) {}
