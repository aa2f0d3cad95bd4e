/**
 * What every driver is tested with.
 *
 * <p>{@link dev.atoll.driver.testkit.DriverContractTest} says what a driver must do; a driver's own
 * test extends it. {@link dev.atoll.driver.testkit.GuestProbe} talks to a guest in frames. {@link
 * dev.atoll.driver.testkit.FakeDriver} is a driver without a machine, for tests of what stands
 * above drivers. Nothing here runs in production.
 */
@NullMarked
package dev.atoll.driver.testkit;

import org.jspecify.annotations.NullMarked;
