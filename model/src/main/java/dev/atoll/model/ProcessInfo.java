package dev.atoll.model;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A process that was started in a sandbox.
 *
 * @param id the run's id, {@code run_…}
 * @param pid its process id inside the sandbox
 * @param outputBytes how much it has written so far
 * @param end how it ended; null while it runs
 */
public record ProcessInfo(
    String id,
    int pid,
    @Nullable String name,
    List<String> command,
    boolean pty,
    boolean running,
    Instant startedAt,
    long outputBytes,
    RunEvent.@Nullable End end) {
  public ProcessInfo {
    command = List.copyOf(command);
  }
}
