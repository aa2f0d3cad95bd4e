package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A folder that looks like mounted control groups. As the kernel does, it fills every new group
 * with its controllers' files; unlike the kernel's, a group must be emptied before it can be
 * removed.
 */
final class FakeCgroupTree {
  private static final Map<String, String> VERSION_1 =
      Map.of(
          "memory",
              "memory.limit_in_bytes memory.memsw.limit_in_bytes memory.stat memory.oom_control",
          "cpu", "cpu.cfs_period_us cpu.cfs_quota_us cpu.shares",
          "cpuacct", "cpuacct.usage",
          "pids", "pids.max",
          "freezer", "freezer.state");
  private static final Map<String, String> VERSION_2 =
      Map.of(
          "memory", "memory.max memory.swap.max memory.oom.group memory.stat memory.events",
          "cpu", "cpu.max cpu.stat cpu.weight",
          "pids", "pids.max");

  private final Path root;
  private final List<String> mounts = new ArrayList<>();
  private final Map<Path, List<String>> filesOfMount = new HashMap<>();

  FakeCgroupTree(Path root) {
    this.root = root;
  }

  FakeCgroupTree mountVersion1(String name, String... controllers) throws IOException {
    List<String> files = new ArrayList<>(List.of("cgroup.procs"));
    for (String controller : controllers) {
      files.addAll(List.of(VERSION_1.getOrDefault(controller, "").split(" ", -1)));
    }
    mount(name, "cgroup", "rw," + String.join(",", controllers), files);
    return this;
  }

  FakeCgroupTree mountVersion2(String name, String... controllers) throws IOException {
    List<String> files =
        new ArrayList<>(
            List.of("cgroup.procs", "cgroup.subtree_control", "cgroup.freeze", "cgroup.events"));
    for (String controller : controllers) {
      files.addAll(List.of(VERSION_2.getOrDefault(controller, "").split(" ", -1)));
    }
    Path mount = mount(name, "cgroup2", "rw,nsdelegate", files);
    Files.writeString(mount.resolve("cgroup.controllers"), String.join(" ", controllers) + "\n");
    return this;
  }

  Cgroups detect() throws IOException {
    return Cgroups.detect(mounts, this::make);
  }

  String read(String file) throws IOException {
    return Files.readString(root.resolve(file));
  }

  void write(String file, String text) throws IOException {
    Files.writeString(root.resolve(file), text);
  }

  private Path mount(String name, String type, String options, List<String> files)
      throws IOException {
    Path mount = root.resolve(name);
    filesOfMount.put(mount, files);
    mounts.add("none %s %s %s 0 0".formatted(mount, type, options));
    make(mount);
    return mount;
  }

  private void make(Path folder) throws IOException {
    Files.createDirectories(folder);
    for (Map.Entry<Path, List<String>> mount : filesOfMount.entrySet()) {
      if (folder.startsWith(mount.getKey())) {
        for (String file : mount.getValue()) {
          if (!file.isEmpty() && Files.notExists(folder.resolve(file))) {
            Files.createFile(folder.resolve(file));
          }
        }
      }
    }
  }
}
