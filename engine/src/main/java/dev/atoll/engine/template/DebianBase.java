package dev.atoll.engine.template;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes root file systems of Debian with packages, from the mirror that the host uses. */
final class DebianBase {
  private static final List<String> LEFT_OUT =
      List.of("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/info/*", "/usr/share/locale/*");

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
    HostCommand.run(
        command,
        line -> {
          if (line.startsWith("I: ")) {
            scope.progress(line.substring(3));
          } else {
            scope.output(line);
          }
        },
        scope);
    Bench.install(aside.resolve("root"), base);
  }
}
