package dev.atoll.engine.packages;

import dev.atoll.model.AtollException;
import dev.atoll.model.CommandRequest;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.Installer;
import dev.atoll.model.PackagesRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The commands that install and list packages. Names of packages are arguments, never text of a
 * script, and {@link Installer#accepts} keeps out what could be read as an option.
 */
public final class Installation {
  private static final double TIMEOUT_SECONDS = 600;
  private static final double LIST_TIMEOUT_SECONDS = 60;
  private static final long MAX_OUTPUT = 16L << 20;

  private Installation() {}

  /** What installs these packages. */
  public static CommandRequest install(PackagesRequest request) {
    Installer manager = manager(request);
    Double timeout = request.timeoutSeconds();
    List<String> argv = new ArrayList<>(installer(manager));
    argv.addAll(request.packages());
    return command(
        argv,
        manager == Installer.NPM ? request.cwd() : null,
        environment(manager),
        manager == Installer.APT ? "root" : null,
        timeout == null ? TIMEOUT_SECONDS : timeout);
  }

  /** What lists the packages of a manager, for {@link PackageLists#parse}. */
  public static CommandRequest list(Installer manager) {
    List<String> argv =
        switch (manager) {
          case PIP -> List.of("pip", "list", "--format=freeze", "--disable-pip-version-check");
          case NPM -> List.of("npm", "ls", "--depth=0", "--parseable", "--long");
          case APT -> List.of("dpkg-query", "-W", "-f", "${Package}=${Version}\n");
          case GEM -> List.of("gem", "list", "--local");
          case CARGO -> List.of("cargo", "install", "--list");
        };
    return command(argv, null, environment(manager), null, LIST_TIMEOUT_SECONDS);
  }

  /** The manager that a request asks for. */
  public static Installer manager(PackagesRequest request) {
    Installer given = request.manager();
    return given == null ? Installer.PIP : given;
  }

  /** Says that the template has no such manager, and what to do. */
  public static AtollException missing(Installer manager) {
    String debian =
        switch (manager) {
          case PIP -> "python3-pip";
          case NPM -> "npm";
          case GEM -> "ruby";
          case CARGO -> "cargo";
          case APT -> "";
        };
    return new AtollException(
        ErrorCode.COMMAND_NOT_FOUND,
        "the template of this sandbox has no " + manager.wire(),
        debian.isEmpty()
            ? "use a template on Debian"
            : "use a template that has it, or install %s by apt first".formatted(debian),
        Map.of("subject", manager.wire()),
        null);
  }

  private static List<String> installer(Installer manager) {
    return switch (manager) {
      case PIP -> List.of("pip", "install", "--no-input", "--progress-bar=off", "--");
      case NPM -> List.of("sh", "-c", script("npm.sh"), "npm");
      case APT -> List.of("sh", "-c", script("apt.sh"), "apt");
      // Whatever follows "--" goes to the compiler of a gem, so there is none.
      case GEM -> List.of("gem", "install", "--user-install", "--no-document");
      case CARGO -> List.of("cargo", "install", "--locked", "--");
    };
  }

  private static Map<String, String> environment(Installer manager) {
    return switch (manager) {
      // The whole sandbox is disposable, so the system's Python need not be protected.
      case PIP -> Map.of("PIP_BREAK_SYSTEM_PACKAGES", "1", "PIP_DISABLE_PIP_VERSION_CHECK", "1");
      case NPM -> Map.of("NPM_CONFIG_UPDATE_NOTIFIER", "false");
      case APT -> Map.of("DEBIAN_FRONTEND", "noninteractive");
      case GEM -> Map.of();
      case CARGO -> Map.of("CARGO_TERM_PROGRESS_WHEN", "never");
    };
  }

  private static CommandRequest command(
      List<String> argv,
      @Nullable String cwd,
      Map<String, String> env,
      @Nullable String user,
      double timeoutSeconds) {
    return new CommandRequest(
        argv, null, cwd, env, user, null, null, null, timeoutSeconds, MAX_OUTPUT, null);
  }

  private static String script(String name) {
    try (InputStream in = Installation.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the build has left out " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
