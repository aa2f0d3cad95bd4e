/**
 * The host's end of the agent protocol: channels, flow control and recovery over one stream.
 *
 * <p>Start at {@link dev.atoll.engine.guest.Guest}. Nothing that a guest sends is trusted; what
 * breaks the protocol ends that guest. Knows nothing of sandboxes, projects or timers.
 */
@NullMarked
package dev.atoll.engine.guest;

import org.jspecify.annotations.NullMarked;
