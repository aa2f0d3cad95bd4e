/**
 * What outlives the server: sandboxes, keys and idempotency keys, in SQLite.
 *
 * <p>Start at {@link dev.atoll.engine.store.Store}. Rows in, rows out; no rule about sandboxes
 * lives here.
 */
@NullMarked
package dev.atoll.engine.store;

import org.jspecify.annotations.NullMarked;
