/** What {@code ./atoll demo} shows. */
@NullMarked
package dev.atoll.examples.demo;

import org.jspecify.annotations.NullMarked;
