/**
 * How fast Atoll is beside the bare {@code runsc} underneath it, measured in turns in one run so
 * that a noisy machine disturbs both alike.
 *
 * <p>Start at {@link dev.atoll.bench.Main}. Nothing here asserts; it prints a table and writes
 * JSON.
 */
@NullMarked
package dev.atoll.bench;

import org.jspecify.annotations.NullMarked;
