/** Tests of secrets at rest. */
@NullMarked
package dev.atoll.engine.secret;

import org.jspecify.annotations.NullMarked;
