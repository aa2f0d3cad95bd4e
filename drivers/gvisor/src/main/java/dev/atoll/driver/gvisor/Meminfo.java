package dev.atoll.driver.gvisor;

import java.util.Locale;

/** What runsc reads as the host's /proc/meminfo, so that the guest sees its limit as its memory. */
final class Meminfo {
  private Meminfo() {}

  static String of(long memoryBytes) {
    long kilobytes = memoryBytes / 1024;
    return String.format(
        Locale.ROOT,
        """
        MemTotal:       %1$8d kB
        MemFree:        %1$8d kB
        MemAvailable:   %1$8d kB
        Buffers:               0 kB
        Cached:                0 kB
        SwapCached:            0 kB
        Active:                0 kB
        Inactive:              0 kB
        SwapTotal:             0 kB
        SwapFree:              0 kB
        Dirty:                 0 kB
        Writeback:             0 kB
        Mapped:                0 kB
        Shmem:                 0 kB
        Slab:                  0 kB
        Hugepagesize:       2048 kB
        """,
        kilobytes);
  }
}
