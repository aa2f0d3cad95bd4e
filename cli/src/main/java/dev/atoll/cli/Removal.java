package dev.atoll.cli;

import dev.atoll.sdk.NotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What became of things to be removed; one that is not there does not keep the others.
 *
 * @param removed those that are gone now
 * @param missing those that were not there
 */
record Removal(List<String> removed, List<String> missing) {
  /** Removes each and returns the exit code; with force nobody minds those that are not there. */
  static int of(
      List<String> names, boolean force, Consumer<String> remove, ListingCommand command) {
    Removal result = new Removal(new ArrayList<>(), new ArrayList<>());
    for (String name : names) {
      try {
        remove.accept(name);
        result.removed.add(name);
      } catch (NotFoundException e) {
        result.missing.add(name);
        if (!force) {
          Main.failed(e, command.stdio());
        }
      }
    }
    if (command.json()) {
      command.stdio().json(result);
    }
    return force || result.missing.isEmpty() ? ExitCode.OK : ExitCode.ATOLL_FAILED;
  }
}
