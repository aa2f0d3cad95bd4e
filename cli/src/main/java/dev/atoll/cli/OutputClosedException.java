package dev.atoll.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Nobody takes what this program prints: the next program of a pipe has ended, or the disk behind a
 * redirection is full. There is no use in what is printed, so what prints it ends.
 */
final class OutputClosedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  OutputClosedException() {
    super("cannot write to standard output");
  }

  /** Ends as a program does that a pipe closes on, without a word; a full disk is told. */
  int tell(Stdio stdio) {
    if (isPipe()) {
      return ExitCode.PIPE_CLOSED;
    }
    stdio.message(String.valueOf(getMessage()));
    return ExitCode.ATOLL_FAILED;
  }

  private static boolean isPipe() {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
      return target.startsWith("pipe:") || target.startsWith("socket:");
    } catch (IOException e) {
      // Not Linux: the usual case.
      return true;
    }
  }
}
