/** Tests of secrets in requests. */
@NullMarked
package dev.atoll.engine.inject;

import org.jspecify.annotations.NullMarked;
