/** Tests of what leaves a sandbox. */
@NullMarked
package dev.atoll.engine.packages;

import org.jspecify.annotations.NullMarked;
