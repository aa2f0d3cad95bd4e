package dev.atoll.server.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The processes of a server's machines on the host, by what they are told or by their groups. */
final class MachineProcesses {
  private final Path sandboxes;

  MachineProcesses(RealServer server) {
    this.sandboxes = server.home().resolve("sandboxes");
  }

  /** All of one machine: gVisor's and the keeper's. */
  List<ProcessHandle> of(String machine) throws IOException {
    List<ProcessHandle> found = new ArrayList<>();
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      for (Path process :
          processes.filter(p -> p.getFileName().toString().matches("[0-9]+")).toList()) {
        if (belongsTo(process, machine)) {
          ProcessHandle.of(Long.parseLong(process.getFileName().toString())).ifPresent(found::add);
        }
      }
    }
    return found;
  }

  /** The one that serves its files. */
  ProcessHandle gofer(String machine) throws IOException {
    for (ProcessHandle process : of(machine)) {
      if (read(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
          .startsWith("runsc-gofer")) {
        return process;
      }
    }
    throw new AssertionError("machine " + machine + " has no gofer");
  }

  private boolean belongsTo(Path process, String machine) throws IOException {
    // The names of control groups end with the machine's id, and the keeper's line has its folder.
    return read(process.resolve("cgroup")).contains("-" + machine)
        || read(process.resolve("cmdline")).contains(sandboxes.resolve(machine).toString());
  }

  private static String read(Path file) throws IOException {
    try {
      return Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return "";
    } catch (IOException e) {
      // A process that ends meanwhile has files that cannot be read.
      return "";
    }
  }
}
