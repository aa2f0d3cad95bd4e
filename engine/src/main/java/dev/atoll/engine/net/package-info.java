/**
 * What leaves a sandbox: decides on it, dials, counts and records.
 *
 * <p>Start at {@link dev.atoll.engine.net.Network}, of which a server has one, and {@link
 * dev.atoll.engine.net.Egress}, of which each sandbox has one. A guest has no way out but the
 * channels handled here, so nothing in this package trusts a name, an address or a byte that it
 * sends. Knows nothing of machines, HTTP or the command line.
 */
@NullMarked
package dev.atoll.engine.net;

import org.jspecify.annotations.NullMarked;
