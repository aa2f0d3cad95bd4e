/** Tests of programs that run once. */
@NullMarked
package dev.atoll.engine.program;

import org.jspecify.annotations.NullMarked;
