package dev.atoll.engine.cache;

import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A database of what Go modules hold.
 *
 * @param name as modules are signed by it
 * @param address where it is asked itself
 * @param except patterns of modules that it is never asked for, as GONOSUMDB has them
 */
public record GoSums(String name, URI address, List<String> except) {
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9.-]*");

  public GoSums {
    Objects.requireNonNull(address);
    except = List.copyOf(except);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("this is no database of checksums: " + name);
    }
  }

  /** Whether it may hear of a module: names of private ones are nobody's business. */
  boolean mayBeAsked(String module) {
    return except.stream().noneMatch(pattern -> isBelow(module, pattern));
  }

  /** A pattern is about all modules whose first parts match its parts. */
  private static boolean isBelow(String module, String pattern) {
    List<String> globs = List.of(pattern.strip().replaceFirst("/+$", "").split("/", -1));
    List<String> parts = List.of(module.split("/", -1));
    if (pattern.isBlank() || globs.size() > parts.size()) {
      return false;
    }
    for (int i = 0; i < globs.size(); i++) {
      String regex =
          ("\\Q" + globs.get(i) + "\\E").replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q");
      if (!Pattern.matches(regex, parts.get(i))) {
        return false;
      }
    }
    return true;
  }
}
