package dev.atoll.engine.template;

import dev.atoll.model.AtollException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes root file systems of Debian with packages, from the mirror that the host uses. */
final class DebianBase {
  private static final List<String> LEFT_OUT =
      List.of("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/info/*", "/usr/share/locale/*");

  private static final Pattern ABSENT =
      Pattern.compile(
          "^E: (?:Unable to locate package |Package '|Couldn't find any package by \\w+ ')"
              + "(?<name>[^\\s']+)");

  private DebianBase() {}

  /**
   * Makes one unless it is there.
   *
   * @param aside an empty folder to work in
   */
  static void make(Recipe recipe, Path base, Path aside, BuildScope scope) throws IOException {
    String suite = String.valueOf(recipe.base().debian());
    scope.progress(
        "building Debian %s with %d packages (a minute or two, once)"
            .formatted(suite, recipe.packages().size()));
    List<String> command =
        new ArrayList<>(List.of("mmdebstrap", "--variant=apt", "--format=directory"));
    command.add("--include=" + String.join(",", recipe.packages()));
    LEFT_OUT.forEach(path -> command.add("--dpkgopt=path-exclude=" + path));
    // Java's packages put links to their manual there and fail if they cannot.
    command.add("--essential-hook=mkdir -p \"$1/usr/share/man/man1\"");
    // Without a mirror mmdebstrap takes the suite's usual one.
    command.add(suite);
    command.add(aside.resolve("root").toString());
    Set<String> absent = new LinkedHashSet<>();
    try {
      HostCommand.run(command, line -> tell(line, absent, scope), scope);
    } catch (AtollException e) {
      throw absent.isEmpty() ? e : absent(suite, absent, e);
    }
    Bench.install(aside.resolve("root"), base);
  }

  private static void tell(String line, Set<String> absent, BuildScope scope) {
    String name = absent(line);
    if (name != null) {
      absent.add(name);
    }
    if (line.startsWith("I: ")) {
      scope.progress(line.substring(3));
    } else {
      scope.output(line);
    }
  }

  /** The package that a line of apt's says there is none of; null for any other line. */
  static @Nullable String absent(String line) {
    Matcher matcher = ABSENT.matcher(line);
    return matcher.find() ? matcher.group("name") : null;
  }

  private static AtollException absent(String suite, Set<String> names, AtollException failure) {
    return new AtollException(
        failure.code(),
        "Debian %s has no package %s; %s"
            .formatted(suite, String.join(", ", names), failure.getMessage()),
        "correct or remove the names in packages:, or take another release of Debian",
        failure.details(),
        failure);
  }
}
