/**
 * The records that cross the HTTP API, shared by the server and the Java SDK.
 *
 * <p>Start at {@link dev.atoll.model.SandboxSpec} and {@link dev.atoll.model.RunEvent}. Records
 * check themselves when they are made. Nothing here does I/O or knows the engine.
 */
@NullMarked
package dev.atoll.model;

import org.jspecify.annotations.NullMarked;
