package dev.atoll.driver.gvisor;

import java.nio.file.Path;

/**
 * One runsc.
 *
 * @param version as it says itself
 */
record RunscProgram(String version, Path path) {}
