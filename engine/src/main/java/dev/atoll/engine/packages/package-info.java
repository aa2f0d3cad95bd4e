/**
 * Packages in sandboxes: how package managers are called, and what their output means.
 *
 * <p>Start at {@link dev.atoll.engine.packages.Installation}. Nothing that a guest prints is
 * believed beyond what is shown to its owner: lines and lists are bounded, and decide nothing.
 */
@NullMarked
package dev.atoll.engine.packages;

import org.jspecify.annotations.NullMarked;
