package dev.atoll.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The checks of what a program is made of. */
final class ProgramFiles {
  private static final int MAX_FILES = 256;
  private static final int MAX_ARGUMENTS = 1024;

  private ProgramFiles() {}

  /** Its one name, whatever alias was given. */
  static String language(@Nullable String language) {
    Check.that(language != null, "language", "must be given");
    return Language.of(String.valueOf(language)).name();
  }

  /** Paths below the folder that the program runs in. */
  static @Nullable Map<String, String> files(@Nullable Map<String, String> files) {
    if (files == null) {
      return null;
    }
    Check.that(files.size() <= MAX_FILES, "files", "has more than " + MAX_FILES + " entries");
    files.forEach(
        (path, content) -> {
          Check.path("files", path);
          Check.that(
              !path.startsWith("/") && !path.endsWith("/") && !("/" + path + "/").contains("/../"),
              "files",
              "has a path that is not below the program's folder: " + path);
          Check.that(content != null, "files", "has no content for " + path);
        });
    return Map.copyOf(files);
  }

  static @Nullable List<String> arguments(@Nullable List<String> arguments) {
    if (arguments == null) {
      return null;
    }
    Check.that(
        arguments.size() <= MAX_ARGUMENTS, "args", "has more than " + MAX_ARGUMENTS + " entries");
    Check.that(
        arguments.stream().allMatch(a -> a != null && a.indexOf(0) < 0),
        "args",
        "must not hold null or NUL");
    return List.copyOf(arguments);
  }
}
