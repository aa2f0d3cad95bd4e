package dev.atoll.driver;

import java.nio.file.Path;

/**
 * A machine's state on disk.
 *
 * @param directory holds the driver's files and nothing else; never changed once it exists
 * @param rootfs the root file system that the machine was made from and that a restore needs
 */
public record Checkpoint(Path directory, Path rootfs) {}
