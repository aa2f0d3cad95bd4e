/**
 * The secrets of projects: kept sealed, and opened only for the moment in which they are used.
 *
 * <p>Start at {@link dev.atoll.engine.secret.Secrets}. {@link dev.atoll.engine.secret.UrlSigner}
 * has a key of the server's own, kept in the same way. Nothing here writes a value, or a private
 * key, to a log, a message or, unsealed, to disk. How a value gets into a request is told in {@code
 * dev.atoll.engine.inject}.
 */
@NullMarked
package dev.atoll.engine.secret;

import org.jspecify.annotations.NullMarked;
