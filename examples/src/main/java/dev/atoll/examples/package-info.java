/**
 * Programs to begin with: each is complete, shows one way of giving a model a sandbox, and runs
 * with a real model when there is a key. {@code demo} is what {@code ./atoll demo} shows.
 */
@NullMarked
package dev.atoll.examples;

import org.jspecify.annotations.NullMarked;
