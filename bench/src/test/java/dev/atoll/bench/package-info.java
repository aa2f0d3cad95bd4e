/** What the bench leaves behind, which is nothing. What it measures is not tested here. */
@NullMarked
package dev.atoll.bench;

import org.jspecify.annotations.NullMarked;
