package dev.atoll.driver.gvisor;

import dev.atoll.driver.MachineLimits;

/**
 * What the host allows a machine, gVisor included. The agent in the guest keeps the guest's own
 * limits; these stand behind it.
 */
record CgroupLimits(double cpus, long memoryBytes, long pids) {
  private static final long PAGE = 4096;

  /** gVisor's own threads: Go's, and the watchers of its platform. */
  private static final int OWN_THREADS = 64;

  /**
   * systrap keeps up to two host tasks per guest thread and pools those of ended processes, so twice
   * the guest's number is reached by well-behaved guests.
   */
  private static final int HOST_TASKS_PER_GUEST_TASK = 3;

  static CgroupLimits of(MachineLimits limits, long memoryOverheadBytes) {
    long memory = limits.memoryBytes() + memoryOverheadBytes;
    return new CgroupLimits(
        limits.cpus(),
        // The kernel counts in pages and would keep a smaller number than we wrote.
        memory / PAGE * PAGE,
        (long) limits.processes() * HOST_TASKS_PER_GUEST_TASK + OWN_THREADS);
  }
}
