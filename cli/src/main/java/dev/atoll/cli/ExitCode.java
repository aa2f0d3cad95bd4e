package dev.atoll.cli;

import dev.atoll.model.AtollException;
import dev.atoll.model.RunStatus;

/** The exit codes that are not the guest program's own; docs/cli.md has the table. */
final class ExitCode {
  static final int OK = 0;
  static final int USAGE = 2;
  static final int NOT_RUNNING = 3;

  /** The program has ended well, but some of its output is not there. */
  static final int OUTPUT_CUT = 123;

  static final int TIMEOUT = 124;
  static final int ATOLL_FAILED = 125;
  static final int NOT_EXECUTABLE = 126;
  static final int NO_SUCH_PROGRAM = 127;
  static final int INTERRUPTED = 130;
  static final int PIPE_CLOSED = 141;

  /** Added to the number of a signal. */
  static final int SIGNAL = 128;

  private ExitCode() {}

  /** The code that a run's end becomes: never 0 unless the run ended well. */
  static int of(RunStatus status, int exitCode) {
    return switch (status) {
      case OK -> exitCode;
      case TIMEOUT -> TIMEOUT;
      case INTERRUPTED -> INTERRUPTED;
      case ERROR,
          KILLED,
          MEMORY_LIMIT,
          DISK_LIMIT,
          PROCESS_LIMIT,
          KERNEL_DIED,
          SANDBOX_DIED,
          COMPILATION_ERROR ->
          exitCode == 0 ? 1 : exitCode;
    };
  }

  /** The code of a failure, as shells and coreutils have them. */
  static int of(AtollException failure) {
    if ("not_executable".equals(failure.details().get("reason"))) {
      return NOT_EXECUTABLE;
    }
    return switch (failure.code()) {
      case BAD_REQUEST,
          UNKNOWN_FIELD,
          INVALID_ARGUMENT,
          TOO_LARGE,
          URI_TOO_LONG,
          UNSUPPORTED_LANGUAGE ->
          USAGE;
      case COMMAND_NOT_FOUND -> NO_SUCH_PROGRAM;
      default -> ATOLL_FAILED;
    };
  }
}
