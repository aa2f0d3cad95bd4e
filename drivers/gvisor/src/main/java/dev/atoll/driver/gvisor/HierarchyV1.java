package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A tree of version 1, which carries one or a few controllers.
 *
 * @param usage the mount of the {@code cpuacct} controller, which counts what {@code cpu} limits
 */
record HierarchyV1(Path mount, Path usage) implements Hierarchy {
  private static final long PERIOD_MICROS = 100_000;
  private static final long LEAST_QUOTA_MICROS = 1_000;
  private static final long USUAL_SHARES = 1024;
  private static final long LEAST_SHARES = 2;

  @Override
  public void prepare(Path parent) {}

  @Override
  public void limitMemory(Path group, long bytes) {
    String limit = Long.toString(bytes);
    ControlFile.limit(group.resolve("memory.limit_in_bytes"), limit);
    Path withSwap = group.resolve("memory.memsw.limit_in_bytes");
    if (Files.exists(withSwap)) {
      ControlFile.limit(withSwap, limit);
    }
  }

  @Override
  public void limitCpu(Path group, double cpus) {
    long quota = Math.max(LEAST_QUOTA_MICROS, Math.round(cpus * PERIOD_MICROS));
    ControlFile.limit(group.resolve("cpu.cfs_period_us"), Long.toString(PERIOD_MICROS));
    ControlFile.limit(group.resolve("cpu.cfs_quota_us"), Long.toString(quota));
  }

  @Override
  public void weighCpu(Path group, double part) throws IOException {
    long shares = Math.max(LEAST_SHARES, Math.round(part * USUAL_SHARES));
    ControlFile.write(group.resolve("cpu.shares"), Long.toString(shares));
  }

  @Override
  public void limitPids(Path group, long count) {
    ControlFile.limit(group.resolve("pids.max"), Long.toString(count));
  }

  @Override
  public long memoryBytes(Path group) throws IOException {
    Path stat = group.resolve("memory.stat");
    return ControlFile.value(stat, "rss") + ControlFile.value(stat, "shmem");
  }

  @Override
  public long cpuMicros(Path group) throws IOException {
    Path counted = usage.resolve(mount.relativize(group));
    return Long.parseLong(ControlFile.read(counted.resolve("cpuacct.usage"))) / 1000;
  }

  @Override
  public long memoryKills(Path group) throws IOException {
    return ControlFile.value(group.resolve("memory.oom_control"), "oom_kill");
  }

  @Override
  public boolean killAll(Path group) {
    return false;
  }
}
