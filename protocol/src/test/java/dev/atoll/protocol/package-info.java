/** Tests of the frames and of the frozen schema. */
@NullMarked
package dev.atoll.protocol;

import org.jspecify.annotations.NullMarked;
