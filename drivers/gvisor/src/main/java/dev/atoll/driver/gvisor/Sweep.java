package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Removes machines that nobody knows. Only those of one root: groups carry a hash of it in their
 * names, and keepers a path below it in their command lines, so another server on this host keeps
 * its own.
 */
record Sweep(Cgroups cgroups, Path root, Set<String> machines) {

  List<String> run() throws IOException {
    List<String> removed = new ArrayList<>();
    for (Path directory : Keeper.directoriesBelow(root)) {
      // A keeper whose directory was deleted under it has no record; it is a stray all the same.
      String id =
          MachineRecord.read(directory.resolve(MachineDirectory.RECORD))
              .map(MachineRecord::id)
              .orElseGet(() -> String.valueOf(directory.getFileName()));
      if (!machines.contains(id)) {
        MachineDirectory stray = new MachineDirectory(id, directory);
        GvisorMachine.removeTraces(stray, cgroups.find(stray.hostName()));
        removed.add("machine " + id + ": its keeper and all its processes");
      }
    }
    String prefix = MachineDirectory.rootHash(root) + "-";
    for (String name : cgroups.names(prefix)) {
      if (!machines.contains(name.substring(prefix.length()))) {
        cgroups.find(name).remove();
        removed.add("control group " + name);
      }
    }
    UserIds.ofHost().sweep();
    return removed;
  }
}
