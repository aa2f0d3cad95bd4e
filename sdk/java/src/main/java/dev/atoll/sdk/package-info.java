/**
 * The Java client of Atoll: sandboxes in which code that nobody has reviewed can run.
 *
 * <p>Start at {@link dev.atoll.sdk.Atoll#connect()}. Calls block; use virtual threads for many at
 * once. Requests and answers are the records of {@code dev.atoll.model}. Failures of Atoll are
 * unchecked {@link dev.atoll.sdk.ApiException}s; a program that fails inside a sandbox is a result,
 * not an exception. How HTTP is spoken belongs in {@code dev.atoll.sdk.transport}.
 */
@NullMarked
package dev.atoll.sdk;

import org.jspecify.annotations.NullMarked;
