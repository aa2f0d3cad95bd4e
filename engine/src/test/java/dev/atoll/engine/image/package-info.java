/** Tests of the image store. */
@NullMarked
package dev.atoll.engine.image;

import org.jspecify.annotations.NullMarked;
