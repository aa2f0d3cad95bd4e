package dev.atoll.engine.packages;

import static dev.atoll.model.ErrorCode.COMMAND_NOT_FOUND;
import static dev.atoll.model.ErrorCode.DISK_LIMIT;
import static dev.atoll.model.ErrorCode.PACKAGE_BUILD_FAILED;
import static dev.atoll.model.ErrorCode.PACKAGE_CONFLICT;
import static dev.atoll.model.ErrorCode.PACKAGE_CORRUPT;
import static dev.atoll.model.ErrorCode.PACKAGE_FAILED;
import static dev.atoll.model.ErrorCode.PACKAGE_NOT_FOUND;
import static dev.atoll.model.ErrorCode.PACKAGE_VERSION_NOT_FOUND;
import static dev.atoll.model.ErrorCode.REGISTRY_REFUSED;
import static dev.atoll.model.ErrorCode.REGISTRY_UNREACHABLE;

import dev.atoll.model.InstalledPackage;
import dev.atoll.model.Installer;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How one package manager tells what it did.
 *
 * @param installed finds a package in a line, with groups {@code name} and {@code version}
 * @param within only in lines that begin like this
 * @param signs of failure; the first that is seen in any line counts
 */
record ManagerOutput(Pattern installed, List<String> within, List<Sign> signs) {
  // A file that alone is larger than the disk may be ends before the disk is full.
  private static final Sign DISK =
      Sign.of(
          DISK_LIMIT,
          "No space left on device|\\bENOSPC\\b|Errno 28\\b|have enough free space"
              + "|File too large|\\bEFBIG\\b");
  private static final Sign ABSENT =
      Sign.of(COMMAND_NOT_FOUND, "^(?:npm|apt-get|gem|cargo|pip): not found");
  private static final Sign NO_COMPILER =
      Sign.of(
          PACKAGE_BUILD_FAILED,
          "linker `\\w+` not found|(?:gcc|cc|g\\+\\+|make|cl)\\S* ?(?:'|:)? ?(?:failed: No such file"
              + "|(?:command )?not found)");

  static ManagerOutput of(Installer manager) {
    return switch (manager) {
      case PIP -> pip();
      case NPM -> npm();
      case APT -> apt();
      case GEM -> gem();
      case CARGO -> cargo();
    };
  }

  List<InstalledPackage> installed(String line) {
    if (within.stream().noneMatch(line.stripLeading()::startsWith)) {
      return List.of();
    }
    List<InstalledPackage> found = new ArrayList<>();
    Matcher matcher = installed.matcher(line);
    while (matcher.find()) {
      found.add(new InstalledPackage(matcher.group("name"), matcher.group("version")));
    }
    return found;
  }

  private static ManagerOutput pip() {
    String name = "(?<name>[A-Za-z0-9][A-Za-z0-9._-]*)";
    return new ManagerOutput(
        // Of a dependency that was there already nobody need hear: it has "(from …)".
        Pattern.compile(
            "(?:(?<= )|^)(?<name>[A-Za-z0-9][A-Za-z0-9._-]*?)"
                + "(?:(?:[\\[<>=!~]\\S*)? in \\S+ \\(|-)(?<version>[0-9][A-Za-z0-9.+!]*)(?=\\s|\\)?$)"),
        List.of("Successfully installed ", "Requirement already satisfied: "),
        List.of(
            DISK,
            ABSENT,
            Sign.of(PACKAGE_CORRUPT, "DO NOT MATCH THE HASHES"),
            NO_COMPILER,
            Sign.of(PACKAGE_BUILD_FAILED, "Failed building wheel for " + name),
            Sign.of(PACKAGE_BUILD_FAILED, "Failed to build '?" + name),
            Sign.of(PACKAGE_BUILD_FAILED, "error: metadata-generation-failed"),
            Sign.of(
                PACKAGE_CONFLICT, "ERROR: (?:ResolutionImpossible|Cannot install " + name + ")"),
            Sign.of(
                PACKAGE_VERSION_NOT_FOUND,
                "satisfies the requirement " + name + ".*\\(from versions: (?!none)"),
            Sign.of(REGISTRY_REFUSED, "(?:Tunnel connection failed: |[Ee]rror:? )403"),
            Sign.of(
                REGISTRY_UNREACHABLE,
                "NewConnectionError|ConnectTimeoutError|NameResolutionError|ReadTimeoutError"
                    + "|ProtocolError|Tunnel connection failed: 5|Server Error: |SSLError"),
            Sign.of(PACKAGE_NOT_FOUND, "satisfies the requirement " + name),
            Sign.of(PACKAGE_NOT_FOUND, "No matching distribution found for " + name)));
  }

  private static ManagerOutput npm() {
    String name = "(?<name>@?[^@\\s']+)";
    return new ManagerOutput(
        Pattern.compile("^\\+ (?<name>@?[^@\\s]+)@(?<version>\\S+)$"),
        List.of("+ "),
        List.of(
            DISK,
            ABSENT,
            Sign.of(PACKAGE_CORRUPT, "\\bEINTEGRITY\\b"),
            Sign.of(PACKAGE_CONFLICT, "\\bERESOLVE\\b"),
            Sign.of(PACKAGE_VERSION_NOT_FOUND, "No matching version found for " + name + "@"),
            Sign.of(REGISTRY_REFUSED, "\\bE403\\b|403 Forbidden"),
            Sign.of(PACKAGE_NOT_FOUND, "404 +'" + name + "(?:@[^']*)?' "),
            Sign.of(PACKAGE_NOT_FOUND, "\\bE404\\b"),
            Sign.of(
                REGISTRY_UNREACHABLE,
                "\\b(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|E50[0-9])\\b"),
            NO_COMPILER,
            Sign.of(PACKAGE_BUILD_FAILED, "gyp ERR!|\\bELIFECYCLE\\b|npm \\S+ command failed")));
  }

  private static ManagerOutput apt() {
    String name = "(?<name>[a-z0-9][a-z0-9+.-]*)";
    return new ManagerOutput(
        Pattern.compile(
            "^(?:Setting up )?(?<name>[a-z0-9][a-z0-9+.-]*)(?::[a-z0-9-]+)?"
                + "(?: is already the newest version)? \\((?<version>[^)\\s]+)\\)"),
        // What is there already is told in a line that begins with its name.
        List.of(""),
        List.of(
            DISK,
            ABSENT,
            Sign.of(PACKAGE_CORRUPT, "Hash Sum mismatch|NO_PUBKEY|is not signed"),
            Sign.of(REGISTRY_REFUSED, "\\b403 "),
            Sign.of(
                REGISTRY_UNREACHABLE,
                "Could not (?:resolve|connect|handshake)|Unable to connect"
                    + "|Connection (?:failed|timed out|refused)|Temporary failure|\\b50[0-9] "),
            Sign.of(PACKAGE_VERSION_NOT_FOUND, "Version '.*' for '" + name + "' was not found"),
            Sign.of(PACKAGE_NOT_FOUND, "Unable to locate package " + name),
            Sign.of(PACKAGE_NOT_FOUND, "Package '?" + name + "'? has no installation candidate"),
            Sign.of(PACKAGE_CONFLICT, "unmet dependencies|held broken packages")));
  }

  private static ManagerOutput gem() {
    String name = "'(?<name>[^']+)'";
    return new ManagerOutput(
        Pattern.compile(
            "installed (?<name>[A-Za-z0-9_][A-Za-z0-9._-]*?)-(?<version>[0-9][A-Za-z0-9.]*)"),
        List.of("Successfully installed "),
        List.of(
            DISK,
            ABSENT,
            NO_COMPILER,
            Sign.of(PACKAGE_BUILD_FAILED, "Failed to build gem native extension"),
            Sign.of(REGISTRY_REFUSED, "\\b403\\b"),
            Sign.of(
                REGISTRY_UNREACHABLE,
                "Unable to download|Errno::E|SocketError|Net::OpenTimeout|bad response"
                    + "|HTTPFatalError"),
            Sign.of(
                PACKAGE_VERSION_NOT_FOUND,
                "Could not find a valid gem " + name + " \\((?!>= 0\\))"),
            Sign.of(PACKAGE_NOT_FOUND, "Could not find a valid gem " + name),
            Sign.of(PACKAGE_CONFLICT, "[Cc]onflicting dependencies|requires Ruby version")));
  }

  private static ManagerOutput cargo() {
    String name = "`(?<name>[^`]+)`";
    return new ManagerOutput(
        Pattern.compile(
            "(?:Installed|Replaced|Ignored) package `(?<name>\\S+) v(?<version>[^`\\s]+)"),
        List.of("Installed package ", "Replaced package ", "Ignored package "),
        List.of(
            DISK,
            ABSENT,
            NO_COMPILER,
            Sign.of(PACKAGE_CORRUPT, "checksum"),
            Sign.of(REGISTRY_REFUSED, "\\b403\\b"),
            Sign.of(
                REGISTRY_UNREACHABLE,
                "Could(?: not|n't) (?:connect|resolve)|failed to download|spurious network error"),
            Sign.of(
                PACKAGE_VERSION_NOT_FOUND,
                "could not find " + name + " in registry .* with version `[^*]"),
            Sign.of(PACKAGE_NOT_FOUND, "could not find " + name + " in registry"),
            Sign.of(PACKAGE_BUILD_FAILED, "could not compile " + name),
            Sign.of(PACKAGE_FAILED, "nothing to install in `(?<name>[^` ]+)[^`]*`")));
  }
}
