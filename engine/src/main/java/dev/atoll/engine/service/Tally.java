package dev.atoll.engine.service;

import java.util.concurrent.atomic.LongAdder;

/**
 * What all services have done since the server started.
 *
 * @param requests that were given to an instance
 * @param made instances that were started from a snapshot, since a request or the minimum wanted
 *     them
 * @param woken instances that were woken, likewise
 * @param restarts of programs
 */
record Tally(LongAdder requests, LongAdder made, LongAdder woken, LongAdder restarts) {
  Tally() {
    this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
  }
}
