/**
 * The server's process: configuration, start, stop.
 *
 * <p>Start at {@link dev.atoll.server.Main}. Only {@link dev.atoll.server.Drivers} knows which
 * drivers there are. What is said over HTTP belongs in {@code dev.atoll.server.http}.
 */
@NullMarked
package dev.atoll.server;

import org.jspecify.annotations.NullMarked;
