package dev.atoll.engine.template;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A package of the npm registry or of the Maven repository that the host is configured for,
 * unpacked into the root file system: programs that Debian has only in an older version come this
 * way.
 *
 * @param npm name of the package; null for one of Maven
 * @param maven what Maven calls it, without its version: {@code group:artifact:type:classifier};
 *     null for one of npm
 * @param integrity of its archive, as lock files of npm have it: {@code sha512-…}
 * @param to the folder in the guest that gets the content
 * @param links symbolic links to make: path in the guest to what it points at
 */
public record RecipeArchive(
    @Nullable String npm,
    @Nullable String maven,
    String version,
    String integrity,
    String to,
    Map<String, String> links) {
  public RecipeArchive {
    check((npm == null) != (maven == null), "each is either one of npm or one of maven");
    check(
        npm == null || npm.matches("(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*"),
        "bad package name " + npm);
    check(
        maven == null || maven.matches("[a-z0-9._-]+:[a-z0-9._-]+:(zip|tar\\.gz):[a-z0-9-]+"),
        "bad name " + maven + "; it is group:artifact:type:classifier");
    String name = npm == null ? maven : npm;
    check(
        version != null && version.matches("[0-9]+\\.[0-9]+\\.[0-9]+([-+][0-9A-Za-z.+-]+)?"),
        name + ": version must be an exact one such as 1.2.3");
    check(
        integrity != null && integrity.matches("sha512-[A-Za-z0-9+/]{86}=="),
        name + ": integrity must be sha512-… as npm writes it");
    check(isPath(to), name + ": bad path " + to);
    links = links == null ? Map.of() : Map.copyOf(links);
    links.forEach(
        (path, target) -> check(isPath(path) && !target.isBlank(), name + ": bad link " + path));
  }

  /** Its name and version, for people. */
  String title() {
    return (npm == null ? maven : npm) + " " + version;
  }

  private static boolean isPath(String path) {
    return path != null && path.matches("(/[A-Za-z0-9@._+-]+)+") && !path.contains("..");
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new AtollException(ErrorCode.INVALID_ARGUMENT, "archives: " + message);
    }
  }
}
