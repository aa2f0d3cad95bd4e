/** Tests of {@code dev.atoll.engine.file}. */
@NullMarked
package dev.atoll.engine.file;

import org.jspecify.annotations.NullMarked;
