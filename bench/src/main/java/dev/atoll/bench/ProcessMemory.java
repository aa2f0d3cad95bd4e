package dev.atoll.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The memory of a process and all its descendants, pages shared with others counted in part. */
final class ProcessMemory {
  private ProcessMemory() {}

  static double mebibytes(long pid) {
    ProcessHandle root =
        ProcessHandle.of(pid).orElseThrow(() -> new IllegalStateException("no process " + pid));
    List<ProcessHandle> tree = Stream.concat(Stream.of(root), root.descendants()).toList();
    return tree.stream().mapToLong(handle -> kibibytes(handle.pid())).sum() / 1024.0;
  }

  private static long kibibytes(long pid) {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/smaps_rollup"))) {
        if (line.startsWith("Pss:")) {
          return Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
      }
      return 0;
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw new IllegalStateException("cannot read the memory of process " + pid, e);
    }
  }
}
