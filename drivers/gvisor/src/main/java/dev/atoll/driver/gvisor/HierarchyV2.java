package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * The tree of version 2.
 *
 * @param controllers those of ours that live in this tree
 */
record HierarchyV2(Path mount, Set<Controller> controllers) implements Hierarchy {
  private static final long PERIOD_MICROS = 100_000;
  private static final long LEAST_QUOTA_MICROS = 1_000;
  private static final long USUAL_WEIGHT = 100;

  HierarchyV2 {
    controllers = Set.copyOf(controllers);
  }

  @Override
  public void prepare(Path parent) throws IOException {
    handDown(mount);
    handDown(parent);
  }

  private void handDown(Path group) throws IOException {
    Path file = group.resolve("cgroup.subtree_control");
    List<String> handedDown = List.of(ControlFile.read(file).split(" ", -1));
    for (Controller controller : controllers) {
      if (!handedDown.contains(controller.kernelName())) {
        ControlFile.write(file, "+" + controller.kernelName());
      }
    }
  }

  @Override
  public void limitMemory(Path group, long bytes) throws IOException {
    ControlFile.limit(group.resolve("memory.max"), Long.toString(bytes));
    Path swap = group.resolve("memory.swap.max");
    if (Files.exists(swap)) {
      ControlFile.limit(swap, "0");
    }
    Path together = group.resolve("memory.oom.group");
    if (Files.exists(together)) {
      // gVisor cannot go on when only one of its processes is killed.
      ControlFile.write(together, "1");
    }
  }

  @Override
  public void limitCpu(Path group, double cpus) {
    long quota = Math.max(LEAST_QUOTA_MICROS, Math.round(cpus * PERIOD_MICROS));
    ControlFile.limit(group.resolve("cpu.max"), quota + " " + PERIOD_MICROS);
  }

  @Override
  public void weighCpu(Path group, double part) throws IOException {
    long weight = Math.max(1, Math.round(part * USUAL_WEIGHT));
    ControlFile.write(group.resolve("cpu.weight"), Long.toString(weight));
  }

  @Override
  public void limitPids(Path group, long count) {
    ControlFile.limit(group.resolve("pids.max"), Long.toString(count));
  }

  @Override
  public long memoryBytes(Path group) throws IOException {
    Path stat = group.resolve("memory.stat");
    return ControlFile.value(stat, "anon") + ControlFile.value(stat, "shmem");
  }

  @Override
  public long cpuMicros(Path group) throws IOException {
    return ControlFile.value(group.resolve("cpu.stat"), "usage_usec");
  }

  @Override
  public long memoryKills(Path group) throws IOException {
    return ControlFile.value(group.resolve("memory.events"), "oom_kill");
  }

  @Override
  public boolean killAll(Path group) throws IOException {
    Path file = group.resolve("cgroup.kill");
    if (!Files.exists(file)) {
      return false;
    }
    // The group was made by this driver for one machine; nothing else is ever put into it.
    ControlFile.write(file, "1");
    return true;
  }
}
