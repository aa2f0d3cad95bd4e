package dev.atoll.server.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Whether a starting server still does something. On a busy machine a start takes long; it has
 * failed when it stands still, not when a clock says so.
 */
final class Progress {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** An idle JVM takes less than that within the time above. */
  private static final Duration WORK = Duration.ofMillis(200);

  private final Process process;
  private final Path log;
  private Duration worked = Duration.ZERO;
  private long written = -1;
  private long advanced = System.nanoTime();

  Progress(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  boolean hasStopped() throws IOException {
    Duration work = process.info().totalCpuDuration().orElse(Duration.ZERO);
    long size = Files.exists(log) ? Files.size(log) : 0;
    if (size != written || work.minus(worked).compareTo(WORK) > 0) {
      written = size;
      worked = work;
      advanced = System.nanoTime();
    }
    return !process.isAlive() || System.nanoTime() - advanced > PATIENCE.toNanos();
  }
}
