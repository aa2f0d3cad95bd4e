package dev.atoll.cli;

import dev.atoll.model.ProcessInfo;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the process that is meant: by id, by name, by pid, or the latest one. */
final class ProcessChoice {
  private ProcessChoice() {}

  static ProcessInfo of(List<ProcessInfo> processes, @Nullable String wanted) {
    return processes.stream()
        .filter(process -> wanted == null || matches(process, wanted))
        .max(Comparator.comparing(ProcessInfo::startedAt))
        .orElseThrow(
            () ->
                new UsageException(
                    wanted == null
                        ? "no process was started in this sandbox"
                        : "there is no process " + wanted + "; see atoll ps"));
  }

  private static boolean matches(ProcessInfo process, String wanted) {
    return process.id().equals(wanted)
        || wanted.equals(process.name())
        || wanted.equals(Integer.toString(process.pid()));
  }
}
