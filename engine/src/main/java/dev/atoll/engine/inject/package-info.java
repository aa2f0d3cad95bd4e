/**
 * Puts secrets into HTTP requests on their way out, and takes them out of what comes back.
 *
 * <p>Start at {@link dev.atoll.engine.inject.Injector}. Only connections to the domains of a
 * sandbox's own secrets come here; all others pass untouched. Messages are parsed by Jetty's parser
 * and written anew from what was parsed, so that both sides see the same message. Knows nothing of
 * guests and of channels: it sees two sockets.
 */
@NullMarked
package dev.atoll.engine.inject;

import org.jspecify.annotations.NullMarked;
