package dev.atoll.cli;

import dev.atoll.sdk.NotFoundException;
import java.util.List;
import java.util.function.Consumer;

/** Removes several things; one that is not there does not keep the others. */
final class Removal {
  private Removal() {}

  /** Removes each and returns the exit code; with force nobody minds those that are not there. */
  static int of(List<String> names, boolean force, Consumer<String> remove, Stdio stdio) {
    int status = ExitCode.OK;
    for (String name : names) {
      try {
        remove.accept(name);
      } catch (NotFoundException e) {
        if (!force) {
          stdio.message(FailureMessage.of(e));
          status = ExitCode.ATOLL_FAILED;
        }
      }
    }
    return status;
  }
}
