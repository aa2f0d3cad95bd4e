/** Tests of the engine on the fake driver. */
@NullMarked
package dev.atoll.engine;

import org.jspecify.annotations.NullMarked;
