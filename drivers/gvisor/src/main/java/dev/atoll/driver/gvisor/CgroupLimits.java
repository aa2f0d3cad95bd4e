package dev.atoll.driver.gvisor;

import dev.atoll.driver.MachineLimits;

/**
 * What the host allows a machine, gVisor included. The agent in the guest keeps the guest's own
 * limits; these stand behind it.
 */
record CgroupLimits(double cpus, long memoryBytes, long pids) {
  private static final long PAGE = 4096;

  /** gVisor's own threads, of which a part grows with the host's processors. */
  private static final int OWN_TASKS = 128 + 16 * Runtime.getRuntime().availableProcessors();

  /**
   * systrap keeps two or three host tasks for a guest thread (measured: 158 for 42 busy processes,
   * 478 for 96 that fork all the time). gVisor does not survive reaching this limit, and the agent
   * holds the guest's own one exactly, so this stands well behind it.
   */
  private static final int HOST_TASKS_PER_GUEST_TASK = 4;

  /**
   * What gVisor itself may need for a guest's process. A bomb of small processes is to reach the
   * guest's limits, which cost it a run, before it reaches this one, which costs the machine.
   */
  private static final long BYTES_PER_PROCESS = 3L << 20;

  static CgroupLimits of(MachineLimits limits, long memoryOverheadBytes) {
    long memory =
        limits.memoryBytes() + memoryOverheadBytes + limits.processes() * BYTES_PER_PROCESS;
    return new CgroupLimits(
        limits.cpus(),
        // The kernel counts in pages and would keep a smaller number than we wrote.
        memory / PAGE * PAGE,
        (long) limits.processes() * HOST_TASKS_PER_GUEST_TASK + OWN_TASKS);
  }
}
