package dev.atoll.engine.template;

import dev.atoll.engine.cache.PackageCache;
import dev.atoll.engine.trust.HostCertificates;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Configuration of programs in a root file system that do not read the proxy variables, or lose
 * them: apt, and Java, which has its own idea of trusted authorities besides.
 */
final class ClientFiles {
  private static final String APT =
      """
      Acquire::http::Proxy "http://127.0.0.1:3128";
      Acquire::https::Proxy "http://127.0.0.1:3128";
      """;
  private static final String CACHE = "http://" + PackageCache.HOST;

  /** For the archives that Debian itself came from; others are reached as the policy says. */
  private static final String APT_CACHE = "Acquire::http::Proxy::%s \"" + CACHE + ":80\";\n";

  private static final Pattern APT_HOST =
      Pattern.compile("(?m)^(?:deb\\s|URIs:).*?\\bhttp://([a-z0-9.-]+)");

  /**
   * A second cache inside would only be written, never read. Modules are compiled when they are
   * first imported: most of a package never is.
   */
  private static final String PIP =
      """
      [global]
      index-url = %s/pip/simple/
      trusted-host = %s
      no-cache-dir = true
      [install]
      compile = false
      """
          .formatted(CACHE, PackageCache.HOST);

  /** Lock files must not name a host that exists in sandboxes only. */
  private static final String NPM =
      """
      registry=%s/npm/
      omit-lockfile-registry-resolved=true
      audit=false
      fund=false
      update-notifier=false
      """
          .formatted(CACHE);

  /** Where an npm may be; its own folder has the settings that count least. */
  private static final List<String> NPM_HOMES =
      List.of("usr/share/nodejs/npm", "usr/lib/node_modules/npm", "usr/local/lib/node_modules/npm");

  private static final String JAVA =
      """

      http.proxyHost=127.0.0.1
      http.proxyPort=3128
      https.proxyHost=127.0.0.1
      https.proxyPort=3128
      """;

  /** All that is written, so that templates are built anew when it changes. */
  static final String SETTINGS = APT + APT_CACHE + PIP + NPM + JAVA;

  private static final String JAVA_TRUST = "/etc/ssl/certs/java";

  /** Java's own default, which programs that open the file expect; it protects nothing. */
  private static final char[] JAVA_PASSWORD = "changeit".toCharArray();

  private static final long MOST_BYTES = 1 << 20;

  private final Path root;

  ClientFiles(Path root) {
    this.root = root;
  }

  /** Path in the guest to content. */
  Map<String, byte[]> all() throws IOException {
    Map<String, byte[]> files = new LinkedHashMap<>();
    Path etc = root.resolve("etc");
    if (!isFolder(etc)) {
      return files;
    }
    if (isFolder(etc.resolve("apt")) && isFolder(etc.resolve("apt/apt.conf.d"))) {
      files.put("/etc/apt/apt.conf.d/95atoll-proxy", APT.getBytes(StandardCharsets.UTF_8));
    }
    try (DirectoryStream<Path> homes = Files.newDirectoryStream(etc, "java-*")) {
      for (Path home : homes) {
        Path settings = home.resolve("net.properties");
        if (isFolder(home) && isSmallFile(settings)) {
          String text = Files.readString(settings, StandardCharsets.ISO_8859_1);
          if (text.contains(JAVA)) {
            continue;
          }
          text += JAVA;
          files.put(
              "/etc/" + home.getFileName() + "/net.properties",
              text.getBytes(StandardCharsets.ISO_8859_1));
        }
      }
    }
    packageManagers(files);
    Optional<Path> bundle = HostCertificates.bundle();
    if (bundle.isPresent()
        && isFolder(etc.resolve("ssl"))
        && isFolder(etc.resolve("ssl/certs"))
        && isFolder(root.resolve(JAVA_TRUST.substring(1)))) {
      files.put(JAVA_TRUST + "/cacerts", javaTrust(bundle.get()));
    }
    return files;
  }

  /**
   * Lets apt ask the package cache.
   *
   * <p>Only for a Debian that the host has made: the cache knows the archives of no other.
   */
  Map<String, byte[]> aptCache() throws IOException {
    Path etc = root.resolve("etc");
    Path sources = etc.resolve("apt/sources.list");
    if (!isFolder(etc) || !isFolder(etc.resolve("apt/apt.conf.d")) || !isSmallFile(sources)) {
      return Map.of();
    }
    Set<String> hosts = new TreeSet<>();
    Matcher matcher = APT_HOST.matcher(Files.readString(sources, StandardCharsets.ISO_8859_1));
    while (matcher.find()) {
      hosts.add(APT_CACHE.formatted(matcher.group(1)));
    }
    return hosts.isEmpty()
        ? Map.of()
        : Map.of(
            "/etc/apt/apt.conf.d/96atoll-cache",
            String.join("", hosts).getBytes(StandardCharsets.UTF_8));
  }

  /** In the places that count least, so that whatever a recipe or a user says wins. */
  private void packageManagers(Map<String, byte[]> files) {
    files.put("/etc/xdg/pip/pip.conf", PIP.getBytes(StandardCharsets.UTF_8));
    for (String home : NPM_HOMES) {
      if (Files.isDirectory(root.resolve(home), LinkOption.NOFOLLOW_LINKS)) {
        files.put("/" + home + "/npmrc", NPM.getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  // The root may be a stranger's: no link is followed.

  private static boolean isFolder(Path path) {
    return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
  }

  private static boolean isSmallFile(Path path) throws IOException {
    return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) && Files.size(path) < MOST_BYTES;
  }

  private static byte[] javaTrust(Path bundle) throws IOException {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      HostCertificates.keyStore(bundle).store(bytes, JAVA_PASSWORD);
      return bytes.toByteArray();
    } catch (GeneralSecurityException e) {
      throw new IOException(
          "the host's certificates cannot be given to Java: " + e.getMessage(), e);
    }
  }
}
