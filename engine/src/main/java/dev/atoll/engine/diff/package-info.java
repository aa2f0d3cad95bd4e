/**
 * What differs between two relatives: two guests whose states go back to one checkpoint.
 *
 * <p>Start at {@link dev.atoll.engine.diff.Comparison}. It only looks: neither guest is changed,
 * and nothing that they say is believed beyond what is shown of it.
 */
@NullMarked
package dev.atoll.engine.diff;

import org.jspecify.annotations.NullMarked;
