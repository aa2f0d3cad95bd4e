package dev.atoll.model;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Why packages were not installed.
 *
 * @param code stable, such as {@link ErrorCode#PACKAGE_NOT_FOUND}
 * @param name the package that it failed on, where the manager told
 * @param log the last lines that the manager wrote
 */
public record PackageFailure(
    ErrorCode code,
    @Nullable String name,
    String message,
    @Nullable String hint,
    List<String> log) {
  public PackageFailure {
    Objects.requireNonNull(code);
    Objects.requireNonNull(message);
    log = log == null ? List.of() : List.copyOf(log);
  }
}
