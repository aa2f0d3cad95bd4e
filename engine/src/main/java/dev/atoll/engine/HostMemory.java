package dev.atoll.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** How much memory the host can still give away. */
final class HostMemory {
  private static final Path MEMINFO = Path.of("/proc/meminfo");
  private static final String KEY = "MemAvailable:";

  private HostMemory() {}

  /**
   * Reads what the kernel believes can be had without swapping; everything where it cannot tell.
   */
  static LongSupplier available() {
    return () -> {
      try {
        for (String line : Files.readAllLines(MEMINFO)) {
          if (line.startsWith(KEY)) {
            return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
          }
        }
      } catch (IOException | NumberFormatException e) {
        // Falls through: a host that does not tell is not held back.
      }
      return Long.MAX_VALUE;
    };
  }
}
