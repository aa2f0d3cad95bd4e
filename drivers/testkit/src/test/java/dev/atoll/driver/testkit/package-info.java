/** Tests of the testkit itself. */
@NullMarked
package dev.atoll.driver.testkit;

import org.jspecify.annotations.NullMarked;
