/**
 * Whole file systems: walking them, and keeping what a guest's has beyond its template.
 *
 * <p>Start at {@link dev.atoll.engine.files.FileLayer} and {@link dev.atoll.engine.files.Walk}.
 * Nothing here grows with the number or the size of files. Single files are the business of {@code
 * dev.atoll.engine.file}.
 */
@NullMarked
package dev.atoll.engine.files;

import org.jspecify.annotations.NullMarked;
