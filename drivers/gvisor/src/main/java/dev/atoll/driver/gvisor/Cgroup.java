package dev.atoll.driver.gvisor;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The control group of one machine, in each tree that limits it. */
final class Cgroup {
  private static final Duration END = Duration.ofSeconds(10);
  private static final Duration POLL = Duration.ofMillis(2);

  private final Map<Controller, Hierarchy> hierarchies;
  private final @Nullable Freezer freezer;
  private final String name;

  Cgroup(Map<Controller, Hierarchy> hierarchies, @Nullable Freezer freezer, String name) {
    this.hierarchies = hierarchies;
    this.freezer = freezer;
    this.name = name;
  }

  /** Every folder that a process of the machine must be put into, each once. */
  Set<Path> folders() {
    Set<Path> folders = new LinkedHashSet<>();
    for (Hierarchy hierarchy : hierarchies.values()) {
      folders.add(hierarchy.mount().resolve(name));
      if (hierarchy instanceof HierarchyV1 version1) {
        folders.add(version1.usage().resolve(name));
      }
    }
    if (freezer != null) {
      folders.add(freezer.mount().resolve(name));
    }
    return folders;
  }

  boolean canFreeze() {
    return freezer != null;
  }

  /** Stops everything in the group where it is. */
  void freeze() throws IOException {
    if (freezer != null) {
      freezer.freeze(freezer.mount().resolve(name));
    }
  }

  void thaw() throws IOException {
    if (freezer != null) {
      freezer.thaw(freezer.mount().resolve(name));
    }
  }

  void apply(CgroupLimits limits) throws IOException {
    hierarchy(Controller.MEMORY).limitMemory(folder(Controller.MEMORY), limits.memoryBytes());
    hierarchy(Controller.CPU).limitCpu(folder(Controller.CPU), limits.cpus());
    hierarchy(Controller.PIDS).limitPids(folder(Controller.PIDS), limits.pids());
  }

  void weighCpu(double part) throws IOException {
    hierarchy(Controller.CPU).weighCpu(folder(Controller.CPU), part);
  }

  long memoryBytes() throws IOException {
    return hierarchy(Controller.MEMORY).memoryBytes(folder(Controller.MEMORY));
  }

  long cpuMicros() throws IOException {
    return hierarchy(Controller.CPU).cpuMicros(folder(Controller.CPU));
  }

  /** 0 when the group is no more. */
  long memoryKills() {
    try {
      return hierarchy(Controller.MEMORY).memoryKills(folder(Controller.MEMORY));
    } catch (IOException e) {
      return 0;
    }
  }

  /** Where one of the group's trees is, whose members all of them have. */
  Path members(Controller controller) {
    return folder(controller);
  }

  /** The processes in the group; none when the group is no more. */
  List<Long> members() {
    try {
      return Files.readAllLines(folder(Controller.MEMORY).resolve("cgroup.procs")).stream()
          .map(Long::valueOf)
          .filter(pid -> pid > 0)
          .toList();
    } catch (IOException e) {
      // A group that is removed while its file is open gives ENODEV and not ENOENT.
      if (Files.exists(folder(Controller.MEMORY))) {
        throw new UncheckedIOException(e);
      }
      return List.of();
    }
  }

  /** Kills every process in the group and waits until they are gone. */
  void kill() {
    long deadline = System.nanoTime() + END.toNanos();
    try {
      // In version 1 what is frozen does not even die.
      thaw();
    } catch (IOException e) {
      // The group is going, or was never made.
    }
    try {
      hierarchy(Controller.MEMORY).killAll(folder(Controller.MEMORY));
    } catch (IOException e) {
      // Version 1, or a group that is going: one by one below.
    }
    List<Long> left = members();
    while (!left.isEmpty()) {
      for (long pid : left) {
        // Safe: the pid was a member of this machine's own group a moment ago, and ProcessHandle
        // compares start times, so a pid that was reused in between is not signalled.
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
      }
      if (System.nanoTime() > deadline) {
        throw new AtollException(
            ErrorCode.INTERNAL,
            "processes "
                + left
                + " of "
                + name
                + " did not end "
                + END.toSeconds()
                + " s after SIGKILL",
            "A process that SIGKILL does not end hangs in the host's kernel: see dmesg.");
      }
      sleep();
      left = members();
    }
  }

  /**
   * Kills what is in the group and removes its folders. The kernel may call an emptied group busy
   * for a moment, and a keeper's child may enter the group just before its keeper ends.
   */
  void remove() {
    long deadline = System.nanoTime() + END.toNanos();
    kill();
    for (Path folder : folders()) {
      while (!removed(folder, System.nanoTime() > deadline)) {
        kill();
        sleep();
      }
    }
  }

  private static boolean removed(Path folder, boolean last) {
    try {
      Files.deleteIfExists(folder);
      return true;
    } catch (IOException e) {
      if (last) {
        throw new UncheckedIOException(e);
      }
      return false;
    }
  }

  private Hierarchy hierarchy(Controller controller) {
    return Objects.requireNonNull(hierarchies.get(controller));
  }

  private Path folder(Controller controller) {
    return hierarchy(controller).mount().resolve(name);
  }

  private static void sleep() {
    // Leaving half a machine behind would be worse than finishing late: an interrupt is remembered
    // and not obeyed.
    boolean interrupted = Thread.interrupted();
    LockSupport.parkNanos(POLL.toNanos());
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
