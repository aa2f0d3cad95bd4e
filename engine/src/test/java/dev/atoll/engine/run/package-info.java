/** Tests of {@code dev.atoll.engine.run}. */
@NullMarked
package dev.atoll.engine.run;

import org.jspecify.annotations.NullMarked;
