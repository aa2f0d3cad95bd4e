package dev.atoll.model;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Packages to install.
 *
 * @param manager {@code pip} by default
 * @param packages names in the manager's own form, each with or without a version
 * @param cwd the project that npm installs into; the user's home by default
 * @param timeoutSeconds after that the installation is killed; ten minutes by default
 */
public record PackagesRequest(
    @Nullable Installer manager,
    List<String> packages,
    @Nullable String cwd,
    @Nullable Double timeoutSeconds) {
  private static final int MAX_PACKAGES = 200;
  private static final int MAX_LENGTH = 256;

  public PackagesRequest {
    manager = manager == null ? Installer.PIP : manager;
    Check.that(packages != null && !packages.isEmpty(), "packages", "must name at least one");
    Check.that(
        packages.size() <= MAX_PACKAGES, "packages", "has more than " + MAX_PACKAGES + " entries");
    for (String name : packages) {
      check(manager, name);
    }
    packages = List.copyOf(packages);
    if (cwd != null) {
      Check.path("cwd", cwd);
    }
    Check.range("timeoutSeconds", timeoutSeconds, 1, 86_400);
  }

  private static void check(Installer manager, String name) {
    if (name == null || name.length() > MAX_LENGTH || !manager.accepts(name)) {
      String shown = name == null ? "null" : name.substring(0, Math.min(MAX_LENGTH, name.length()));
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          "packages has \"%s\", which names no package of %s".formatted(shown, manager.wire()),
          "write " + manager.examples() + "; for anything else run " + manager.wire() + " yourself",
          Map.of("field", "packages"),
          null);
    }
  }

  /** Packages with the default limits. */
  public static PackagesRequest of(Installer manager, List<String> packages) {
    return new PackagesRequest(manager, packages, null, null);
  }
}
