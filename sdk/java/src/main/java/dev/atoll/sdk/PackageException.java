package dev.atoll.sdk;

import dev.atoll.model.ErrorBody;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Packages could not be installed; {@link #code()} says why, {@link #packageName()} which one. */
public final class PackageException extends ApiException {
  /** A failure that the server told. */
  public PackageException(ErrorBody body) {
    super(body, null);
  }

  /** The package that it failed on, where the package manager told. */
  public @Nullable String packageName() {
    return details().get("package") instanceof String name ? name : null;
  }

  /** The last lines that the package manager wrote. */
  public List<String> log() {
    return details().get("log") instanceof List<?> lines
        ? lines.stream().map(String::valueOf).toList()
        : List.of();
  }
}
