/**
 * What projects share and none may use up: the server's heap, and the disk for output of ended
 * runs.
 *
 * <p>Start at {@link dev.atoll.engine.budget.FairBudget}. Knows nothing of what is held.
 */
@NullMarked
package dev.atoll.engine.budget;

import org.jspecify.annotations.NullMarked;
