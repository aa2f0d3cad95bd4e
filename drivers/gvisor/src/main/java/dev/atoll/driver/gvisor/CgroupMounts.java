package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which tree carries which controller, read from the table of mounts. A controller is in one tree
 * only; when version 1 has it mounted, version 2 does not list it.
 *
 * @param freezer null when this host has none
 */
record CgroupMounts(Map<Controller, Hierarchy> hierarchies, @Nullable Freezer freezer) {

  static CgroupMounts parse(List<String> mounts) throws IOException {
    Map<String, Path> version1 = new HashMap<>();
    Map<Controller, Hierarchy> found = new EnumMap<>(Controller.class);
    for (String line : mounts) {
      String[] fields = line.split(" ", -1);
      if (fields.length < 4) {
        continue;
      }
      Path mount = Path.of(fields[1].replace("\\040", " "));
      if (fields[2].equals("cgroup")) {
        Arrays.stream(fields[3].split(",", -1)).forEach(o -> version1.putIfAbsent(o, mount));
      } else if (fields[2].equals("cgroup2")) {
        HierarchyV2 hierarchy = new HierarchyV2(mount, controllers(mount));
        hierarchy.controllers().forEach(controller -> found.putIfAbsent(controller, hierarchy));
      }
    }
    for (Controller controller : Controller.values()) {
      Path mount = version1.get(controller.kernelName());
      if (mount != null) {
        found.put(controller, new HierarchyV1(mount, version1.getOrDefault("cpuacct", mount)));
      }
    }
    return new CgroupMounts(found, freezer(version1.get("freezer"), found));
  }

  /** Every group of version 2 can be frozen, so the tree of one of our controllers will do. */
  private static @Nullable Freezer freezer(
      @Nullable Path version1, Map<Controller, Hierarchy> found) {
    if (version1 != null) {
      return new Freezer(version1, true);
    }
    return found.values().stream()
        .filter(HierarchyV2.class::isInstance)
        .findFirst()
        .map(hierarchy -> new Freezer(hierarchy.mount(), false))
        .orElse(null);
  }

  private static Set<Controller> controllers(Path mount) throws IOException {
    List<String> names =
        List.of(Files.readString(mount.resolve("cgroup.controllers")).strip().split(" ", -1));
    EnumSet<Controller> found = EnumSet.allOf(Controller.class);
    found.removeIf(controller -> !names.contains(controller.kernelName()));
    return found;
  }
}
