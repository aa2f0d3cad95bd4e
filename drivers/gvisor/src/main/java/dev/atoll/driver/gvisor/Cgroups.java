package dev.atoll.driver.gvisor;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The host's control groups: which tree carries which controller, and the {@code atoll} folder in
 * each, below which every machine has a group.
 */
final class Cgroups {
  private static final String PARENT = "atoll";

  private final Map<Controller, Hierarchy> hierarchies;
  private final @Nullable Freezer freezer;
  private final Maker maker;

  /** Makes a folder with its missing parents; the kernel then fills it with files. */
  @FunctionalInterface
  interface Maker {
    void make(Path folder) throws IOException;
  }

  private Cgroups(Map<Controller, Hierarchy> hierarchies, @Nullable Freezer freezer, Maker maker) {
    this.hierarchies = hierarchies;
    this.freezer = freezer;
    this.maker = maker;
  }

  static Cgroups detect() {
    try {
      return detect(Files.readAllLines(Path.of("/proc/mounts")), Files::createDirectories);
    } catch (IOException e) {
      throw unavailable("cannot find the control groups: " + e.getMessage(), e);
    }
  }

  static Cgroups detect(List<String> mounts, Maker maker) throws IOException {
    CgroupMounts parsed = CgroupMounts.parse(mounts);
    Map<Controller, Hierarchy> found = new EnumMap<>(parsed.hierarchies());
    for (Controller controller : Controller.values()) {
      if (!found.containsKey(controller)) {
        throw unavailable(
            "this host has no control groups for " + controller.kernelName(),
            new IOException("not in /proc/mounts"));
      }
    }
    return new Cgroups(found, parsed.freezer(), maker);
  }

  /** For a person, such as {@code memory: version 1, cpu: version 1, pids: version 2}. */
  String describe() {
    return hierarchies.entrySet().stream()
        .map(
            e ->
                e.getKey().kernelName()
                    + (e.getValue() instanceof HierarchyV1 ? ": version 1" : ": version 2"))
        .collect(Collectors.joining(", "));
  }

  /** Makes a group with its limits; nothing of it is left when one cannot be applied. */
  Cgroup create(String name, CgroupLimits limits) {
    Cgroup group = find(name);
    try {
      for (Hierarchy hierarchy : hierarchies.values()) {
        Path parent = hierarchy.mount().resolve(PARENT);
        if (!Files.isDirectory(parent)) {
          maker.make(parent);
        }
        hierarchy.prepare(parent);
      }
      for (Path folder : group.folders()) {
        maker.make(folder);
      }
      group.apply(limits);
      return group;
    } catch (IOException e) {
      group.remove();
      throw unavailable("cannot make the control group " + name + ": " + e.getMessage(), e);
    } catch (AtollException e) {
      group.remove();
      throw e;
    }
  }

  /** The group of that name, whether it exists or not. */
  Cgroup find(String name) {
    return new Cgroup(hierarchies, freezer, PARENT + "/" + name);
  }

  /** Names of all groups that begin so. */
  List<String> names(String prefix) throws IOException {
    TreeSet<String> names = new TreeSet<>();
    Set<Path> mounts = new LinkedHashSet<>();
    hierarchies.values().forEach(hierarchy -> mounts.add(hierarchy.mount()));
    if (freezer != null) {
      mounts.add(freezer.mount());
    }
    for (Path mount : mounts) {
      try (DirectoryStream<Path> folders =
          Files.newDirectoryStream(mount.resolve(PARENT), prefix + "*")) {
        folders.forEach(folder -> names.add(folder.getFileName().toString()));
      } catch (NoSuchFileException e) {
        // No machine was ever started here.
      }
    }
    return new ArrayList<>(names);
  }

  private static AtollException unavailable(String message, IOException cause) {
    return new AtollException(
        ErrorCode.DRIVER_UNAVAILABLE,
        message,
        "Run the server as root on a host whose memory, cpu and pids control groups are mounted"
            + " writable below /sys/fs/cgroup. In a container with version 2, no process may be in"
            + " the container's top group: start it with --cgroupns=host or move them aside.",
        Map.of(),
        cause);
  }
}
