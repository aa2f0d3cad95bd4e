@NullMarked
package dev.atoll.engine.diff;

import org.jspecify.annotations.NullMarked;
