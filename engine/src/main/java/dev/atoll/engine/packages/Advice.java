package dev.atoll.engine.packages;

import dev.atoll.model.ErrorCode;
import dev.atoll.model.Installer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What to do about an installation that failed. */
final class Advice {
  /** A command, or a setting of the server's, that would help. */
  private static final Pattern TOLD =
      Pattern.compile("`atoll |\\b(?:network|packages)\\.[a-z]|ceiling");

  private Advice() {}

  /**
   * What helps.
   *
   * @param message what is told already; where it says what to do, nothing else is recommended
   */
  static @Nullable String of(ErrorCode code, Installer manager, String message) {
    return TOLD.matcher(message).find() ? null : of(code, manager);
  }

  private static @Nullable String of(ErrorCode code, Installer manager) {
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
          "atoll audit SANDBOX shows whether the sandbox's policy or the registry itself refused it";
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
