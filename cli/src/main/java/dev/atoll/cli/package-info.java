/**
 * The {@code atoll} command. Starts at {@link dev.atoll.cli.Main}.
 *
 * <p>One class per command; all they know of the server goes through the SDK. What a short run does
 * not need is not loaded: only the command that was named is registered, and the SDK speaks through
 * its light transport.
 */
@NullMarked
package dev.atoll.cli;

import org.jspecify.annotations.NullMarked;
