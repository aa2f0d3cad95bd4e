/** Tests of the list of parts and of the search for advisories. */
@NullMarked
package dev.atoll.supply;

import org.jspecify.annotations.NullMarked;
