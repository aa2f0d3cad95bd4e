/**
 * What runs in a sandbox: processes and executions of code, what they print, and how they end.
 *
 * <p>Start at {@link dev.atoll.engine.run.Runs}. Internal to the engine; knows the guest, but
 * neither the store nor the life of sandboxes.
 */
@NullMarked
package dev.atoll.engine.run;

import org.jspecify.annotations.NullMarked;
