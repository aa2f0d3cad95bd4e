/** Tests of {@code dev.atoll.engine.guest}. */
@NullMarked
package dev.atoll.engine.guest;

import org.jspecify.annotations.NullMarked;
