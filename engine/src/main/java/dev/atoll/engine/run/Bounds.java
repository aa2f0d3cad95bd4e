package dev.atoll.engine.run;

import java.time.Duration;
import java.util.Objects;

/**
 * What one run of a program may use.
 *
 * @param cpu processor time of all its processes; zero for no bound
 * @param wall time from its start
 * @param memoryBytes what all its processes hold at a time; 0 for no bound but the sandbox's
 * @param scratchBytes not 0: what it writes is thrown away when it ends, and may not be more than
 *     that; 0: its writes stay
 */
public record Bounds(Duration cpu, Duration wall, long memoryBytes, long scratchBytes) {
  public Bounds {
    Objects.requireNonNull(cpu);
    if (wall.isNegative() || wall.isZero()) {
      throw new IllegalArgumentException("a run without an end");
    }
  }

  dev.atoll.protocol.wire.Bounds wire() {
    return dev.atoll.protocol.wire.Bounds.newBuilder()
        .setCpuMicros(cpu.toNanos() / 1000)
        .setWallMicros(wall.toNanos() / 1000)
        .setMemoryBytes(memoryBytes)
        .setScratchBytes(scratchBytes)
        .build();
  }
}
