package dev.atoll.model;

import java.util.Objects;

/** A package that is in a sandbox. */
public record InstalledPackage(String name, String version) {
  public InstalledPackage {
    Objects.requireNonNull(name);
    Objects.requireNonNull(version);
  }
}
