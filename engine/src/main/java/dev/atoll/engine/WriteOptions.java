package dev.atoll.engine;

/**
 * How a file is written.
 *
 * @param mode permission bits; 0: those of the file being replaced, or 0644
 * @param parents makes missing directories
 * @param append adds to the end in place, instead of replacing the file as a whole
 */
public record WriteOptions(int mode, boolean parents, boolean append) {}
