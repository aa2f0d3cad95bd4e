/**
 * Machines in gVisor, run by {@code runsc}.
 *
 * <p>Start at {@link dev.atoll.driver.gvisor.GvisorDriver}. A machine is a {@code runsc} sandbox
 * without a network, held by a keeper process that outlives the server; its writes go to an overlay
 * on disk, its limits are control groups that this package makes itself. Nothing of the engine
 * belongs here.
 */
@NullMarked
package dev.atoll.driver.gvisor;

import org.jspecify.annotations.NullMarked;
