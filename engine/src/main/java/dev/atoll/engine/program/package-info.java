/**
 * Programs that run once: code of a language from a template's {@code languages:} table is stored,
 * compiled if need be, and run, in a sandbox of its own or in one that is there, and judged by its
 * output.
 *
 * <p>Start at {@link dev.atoll.engine.program.Programs}. Stands upon {@link
 * dev.atoll.engine.Sandboxes} alone; nothing here knows of machines or guests.
 */
@NullMarked
package dev.atoll.engine.program;

import org.jspecify.annotations.NullMarked;
