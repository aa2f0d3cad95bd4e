package dev.atoll.driver;

/**
 * What a machine may use. A driver that cannot apply one of them refuses to start the machine.
 *
 * @param cpus CPU seconds per second
 * @param memoryBytes memory of everything in the guest; the driver adds its own overhead
 * @param diskBytes what the guest may write
 * @param processes processes and threads in the guest
 */
public record MachineLimits(double cpus, long memoryBytes, long diskBytes, int processes) {
  public MachineLimits {
    if (!(cpus > 0) || memoryBytes <= 0 || diskBytes <= 0 || processes <= 0) {
      throw new IllegalArgumentException(
          "limits must be positive: cpus %s, memory %d, disk %d, processes %d"
              .formatted(cpus, memoryBytes, diskBytes, processes));
    }
  }
}
