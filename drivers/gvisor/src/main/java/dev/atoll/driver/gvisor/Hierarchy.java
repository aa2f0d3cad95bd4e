package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.nio.file.Path;

/**
 * One mounted tree of control groups, which knows the files of its version. A host has one for all
 * controllers (version 2), one for each of them (version 1), or both kinds side by side.
 */
sealed interface Hierarchy permits HierarchyV1, HierarchyV2 {

  /** Where it is mounted. */
  Path mount();

  /** Makes sure that groups in {@code parent}, a folder just below the mount, can be limited. */
  void prepare(Path parent) throws IOException;

  void limitMemory(Path group, long bytes) throws IOException;

  void limitCpu(Path group, double cpus) throws IOException;

  /** How much processor time it gets beside others, as a part of what is usual. */
  void weighCpu(Path group, double part) throws IOException;

  void limitPids(Path group, long count) throws IOException;

  /** Memory that the kernel could not take back by dropping caches. */
  long memoryBytes(Path group) throws IOException;

  long cpuMicros(Path group) throws IOException;

  /** How many processes of the group the kernel killed because its memory was used up. */
  long memoryKills(Path group) throws IOException;

  /**
   * Kills every process in the group in one step.
   *
   * @return false when this kernel cannot
   */
  boolean killAll(Path group) throws IOException;
}
