package dev.atoll.engine.run;

import dev.atoll.model.RunStatus;
import dev.atoll.protocol.wire.Exit;
import org.jspecify.annotations.Nullable;

/** How the end of a process or kernel is told to people. */
record ProcessEnd(
    RunStatus status, int exitCode, @Nullable String signal, @Nullable String message) {
  private static final int TIMED_OUT = 124;
  private static final int INTERRUPTED = 130;

  static ProcessEnd of(Exit exit, @Nullable RunStatus stopping) {
    int signalNumber = Math.clamp(exit.getSignal(), 0, 127);
    String signal = signalNumber == 0 ? null : Signals.name(signalNumber);
    int code = signalNumber == 0 ? exit.getCode() & 0xff : 128 + signalNumber;
    if (stopping == RunStatus.TIMEOUT) {
      return new ProcessEnd(RunStatus.TIMEOUT, TIMED_OUT, signal, "its time was up");
    }
    if (stopping == RunStatus.INTERRUPTED) {
      return new ProcessEnd(RunStatus.INTERRUPTED, INTERRUPTED, signal, "it was cancelled");
    }
    RunStatus limit = limit(exit.getReason());
    if (limit == RunStatus.TIMEOUT) {
      return new ProcessEnd(RunStatus.TIMEOUT, TIMED_OUT, signal, "its time was up");
    }
    if (limit != null && (code != 0 || exit.getWallMicros() != 0)) {
      return new ProcessEnd(limit, code, signal, message(limit));
    }
    if (signal != null) {
      return new ProcessEnd(RunStatus.KILLED, code, signal, "ended by " + signal);
    }
    return new ProcessEnd(code == 0 ? RunStatus.OK : RunStatus.ERROR, code, null, null);
  }

  /** The status for a limit that the agent enforced; null for none. */
  static @Nullable RunStatus limit(Exit.Reason reason) {
    return switch (reason) {
      case MEMORY -> RunStatus.MEMORY_LIMIT;
      case DISK -> RunStatus.DISK_LIMIT;
      case PROCESSES -> RunStatus.PROCESS_LIMIT;
      case TIME -> RunStatus.TIMEOUT;
      case NONE, UNRECOGNIZED -> null;
    };
  }

  static String message(RunStatus limit) {
    return switch (limit) {
      case MEMORY_LIMIT ->
          "the sandbox was out of memory; create it with a larger memoryMiB, or use less";
      case DISK_LIMIT ->
          "the sandbox was out of disk; remove files, or create it with a larger diskMiB";
      case PROCESS_LIMIT ->
          "the sandbox was out of processes; create it with a larger processes, or start fewer";
      default -> limit.wire();
    };
  }
}
