/**
 * Work on what strangers wrote, in processes that can do nothing to the host.
 *
 * <p>Start at {@link dev.atoll.engine.jail.Jailer}. Internal to the engine. What is done in such a
 * process is its caller's business.
 */
@NullMarked
package dev.atoll.engine.jail;

import org.jspecify.annotations.NullMarked;
