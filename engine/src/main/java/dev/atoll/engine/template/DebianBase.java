package dev.atoll.engine.template;

import dev.atoll.engine.jail.Jailer;
import dev.atoll.engine.tree.TreeDirectory;
import dev.atoll.model.AtollException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes root file systems of Debian with packages, from the mirror that the host uses.
 *
 * <p>Packages bring scripts that run as root while they are installed, and whoever may build a
 * template chooses the packages. So all of it runs in a jail: {@link DebianWorld}.
 */
final class DebianBase {
  private static final List<String> LEFT_OUT =
      List.of("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/info/*", "/usr/share/locale/*");

  private static final Pattern ABSENT =
      Pattern.compile(
          "^E: (?:Unable to locate package |Package '|Couldn't find any package by \\w+ ')"
              + "(?<name>[^\\s']+)");

  private final Jailer jailer;

  DebianBase(Jailer jailer) {
    this.jailer = jailer;
  }

  /**
   * Makes one unless it is there.
   *
   * @param aside an empty folder to work in
   */
  void make(Recipe recipe, Path base, Path aside, BuildScope scope) throws IOException {
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
    Path root = TreeDirectory.makeRoot(aside.resolve("root"));
    Set<String> absent = new LinkedHashSet<>();
    try {
      run(command, suite, root, line -> tell(line, absent, scope), scope);
    } catch (AtollException e) {
      throw absent.isEmpty() ? e : absent(suite, absent, e);
    }
    Bench.install(root, base);
  }

  private void run(
      List<String> command, String suite, Path root, Consumer<String> line, BuildScope scope)
      throws IOException {
    // Without a mirror mmdebstrap takes the suite's usual one.
    command.add(suite);
    if (!jailer.confines()) {
      command.add(root.toString());
      HostCommand.run(command, line, scope);
      return;
    }
    command.add(DebianWorld.ROOT);
    // Root of the jail is what mmdebstrap takes for root. /sys cannot be mounted there.
    command.addAll(1, List.of("--mode=root", "--skip=chroot/mount/sys"));
    HostCommand.run(
        DebianWorld.of(jailer, root).command(command), DebianWorld.environment(), line, scope);
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
