package dev.atoll.engine.packages;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.Installer;
import org.jspecify.annotations.Nullable;

/** What to do about an installation that failed. */
final class Advice {
  private Advice() {}

  static @Nullable String of(ErrorCode code, Installer manager) {
    return switch (code) {
      case PACKAGE_NOT_FOUND ->
          "check the spelling: a package is not always named like what is imported from it";
      case PACKAGE_VERSION_NOT_FOUND ->
          "leave the version out to get the newest one that works here, or choose another";
      case PACKAGE_CONFLICT -> "leave versions out, or install the packages one by one";
      case PACKAGE_BUILD_FAILED ->
          "install a compiler first (apt: build-essential, and for pip python3-dev), or choose a"
              + " version that comes compiled";
      case PACKAGE_CORRUPT -> "try again; if it stays so, the registry or a mirror is broken";
      case REGISTRY_REFUSED ->
          "give the sandbox network mode packages, or allow the registry: atoll network allow";
      case REGISTRY_UNREACHABLE ->
          "try again later; atoll audit SANDBOX shows what the server could not reach";
      case DISK_LIMIT -> "remove files, or create the sandbox with a larger diskMiB";
      case STORAGE_FULL ->
          "free space below the server's data directory, or lower packages.cache-size";
      case TIMEOUT -> "give a longer timeoutSeconds";
      case COMMAND_NOT_FOUND -> "use a template that has " + manager.wire();
      default -> null;
    };
  }
}
