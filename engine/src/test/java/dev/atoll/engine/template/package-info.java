/** Tests of {@code dev.atoll.engine.template}. */
@NullMarked
package dev.atoll.engine.template;

import org.jspecify.annotations.NullMarked;
