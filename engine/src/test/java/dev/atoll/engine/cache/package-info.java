/** Tests of what leaves a sandbox. */
@NullMarked
package dev.atoll.engine.cache;

import org.jspecify.annotations.NullMarked;
