package dev.atoll.model;

import java.util.List;
import java.util.Objects;

/**
 * Packages that were installed.
 *
 * @param id of the run that installed them
 * @param installed what is new with all that it needed, and what was asked for and there already
 */
public record PackagesResult(
    String id, Installer manager, List<InstalledPackage> installed, long durationMillis) {
  public PackagesResult {
    Objects.requireNonNull(id);
    Objects.requireNonNull(manager);
    installed = List.copyOf(installed);
  }
}
