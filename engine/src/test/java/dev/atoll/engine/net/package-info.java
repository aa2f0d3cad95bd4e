/** Tests of what leaves a sandbox. */
@NullMarked
package dev.atoll.engine.net;

import org.jspecify.annotations.NullMarked;
