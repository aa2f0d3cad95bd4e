/**
 * What an isolation technology must offer to carry Atoll's sandboxes.
 *
 * <p>Start at {@link dev.atoll.driver.Driver}. A driver knows machines, checkpoints and limits; it
 * knows neither sandboxes nor projects nor HTTP. Every driver passes {@code DriverContractTest} of
 * the testkit.
 */
@NullMarked
package dev.atoll.driver;

import org.jspecify.annotations.NullMarked;
