package dev.atoll.engine.cache;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * How packages are cached.
 *
 * @param maxBytes how much is kept; 0 for nothing, so that everything is passed on
 * @param pageAge how long a page of an index is believed before the registry is asked again
 * @param pip indexes for pip in place of those that the host's own pip uses
 * @param npm the registry for npm in place of the one that the host's own npm uses; at most one
 * @param maven the repository of Java libraries in place of the one that the host's own Maven uses;
 *     at most one
 * @param go proxies of Go modules in place of those that the host's own Go uses
 * @param cargo the sparse index of Rust crates in place of the one that the host's own cargo uses;
 *     at most one
 */
public record PackageSettings(
    long maxBytes,
    Duration pageAge,
    List<URI> pip,
    List<URI> npm,
    List<URI> apt,
    List<URI> maven,
    List<URI> go,
    List<URI> cargo) {
  public PackageSettings {
    Objects.requireNonNull(pageAge);
    pip = List.copyOf(pip);
    npm = List.copyOf(npm);
    apt = List.copyOf(apt);
    maven = List.copyOf(maven);
    go = List.copyOf(go);
    cargo = List.copyOf(cargo);
    check(maxBytes >= 0, "the package cache cannot be smaller than nothing");
    check(npm.size() <= 1, "npm has one registry");
    check(maven.size() <= 1, "Maven has one repository; a mirror may put several together");
    check(cargo.size() <= 1, "cargo has one index");
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /** 10 GiB; pages are asked for again after two minutes; the host's own registries. */
  public static PackageSettings defaults() {
    return of(10L << 30, Duration.ofMinutes(2));
  }

  /** With the host's own registries. */
  public static PackageSettings of(long maxBytes, Duration pageAge) {
    return new PackageSettings(
        maxBytes, pageAge, List.of(), List.of(), List.of(), List.of(), List.of(), List.of());
  }
}
