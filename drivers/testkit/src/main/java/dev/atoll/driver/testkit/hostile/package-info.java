/**
 * Archives that mean harm, for whatever takes archives from strangers.
 *
 * <p>{@link dev.atoll.driver.testkit.hostile.HostileTars} are tried against every way in, each with
 * a {@link dev.atoll.driver.testkit.hostile.Sentinel} beside it that shows that nothing outside was
 * touched. Nothing here knows who takes them.
 */
@NullMarked
package dev.atoll.driver.testkit.hostile;

import org.jspecify.annotations.NullMarked;
