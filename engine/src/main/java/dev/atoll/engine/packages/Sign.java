package dev.atoll.engine.packages;

import dev.atoll.model.ErrorCode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Something that a package manager prints when it fails for one reason.
 *
 * @param line its group {@code name}, if it has one, is the package
 */
record Sign(ErrorCode code, Pattern line) {
  private static final int MAX_NAME = 200;

  static Sign of(ErrorCode code, String line) {
    return new Sign(code, Pattern.compile(line));
  }

  /** That it was seen. */
  record Seen(@Nullable String name) {}

  @Nullable Seen in(String text) {
    Matcher matcher = line.matcher(text);
    if (!matcher.find()) {
      return null;
    }
    String name = line.namedGroups().containsKey("name") ? matcher.group("name") : null;
    return new Seen(name == null || name.length() > MAX_NAME ? null : name);
  }

  boolean isDisk() {
    return code == ErrorCode.DISK_LIMIT;
  }

  /** Whether the same is printed when the network was refused. */
  boolean mayBeTheNetwork() {
    return switch (code) {
      case PACKAGE_NOT_FOUND, PACKAGE_FAILED, REGISTRY_REFUSED, REGISTRY_UNREACHABLE -> true;
      default -> false;
    };
  }
}
