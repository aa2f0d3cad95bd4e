/**
 * The life of sandboxes: creating, running, timing out, ending, and finding them again after a
 * restart.
 *
 * <p>Start at {@link dev.atoll.engine.Engine}. Knows drivers only through their SPI and knows no
 * HTTP.
 */
@NullMarked
package dev.atoll.engine;

import org.jspecify.annotations.NullMarked;
