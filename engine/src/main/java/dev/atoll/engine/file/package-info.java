/**
 * Files and directories moving in and out of a guest with flat memory.
 *
 * <p>Start at {@link dev.atoll.engine.file.GuestFileSystem}. Internal to the engine.
 */
@NullMarked
package dev.atoll.engine.file;

import org.jspecify.annotations.NullMarked;
