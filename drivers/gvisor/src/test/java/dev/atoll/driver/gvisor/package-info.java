/** Tests of the gVisor driver. */
@NullMarked
package dev.atoll.driver.gvisor;

import org.jspecify.annotations.NullMarked;
