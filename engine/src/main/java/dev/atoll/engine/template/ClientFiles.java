package dev.atoll.engine.template;

import dev.atoll.engine.cache.PackageCache;
import dev.atoll.engine.tree.FileStatus;
import dev.atoll.engine.tree.ForeignTree;
import dev.atoll.engine.tree.TreeDirectory;
import dev.atoll.engine.trust.HostCertificates;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

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

  /** uv reads nothing of pip's. */
  private static final String UV =
      """
      [[index]]
      url = "%s/pip/simple/"
      default = true
      """
          .formatted(CACHE);

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

  /** For yarn of the first generation, which looks beside Node, and for later ones. */
  private static final String YARN = "registry=%s/npm/\n".formatted(CACHE);

  private static final String YARN_LATER =
      """
      npmRegistryServer: "%s/npm"
      unsafeHttpWhitelist: [%s]
      enableTelemetry: false
      """
          .formatted(CACHE, PackageCache.HOST);

  /** Before what Go brings along: of several lines the first counts. */
  private static final String GO = "GOPROXY=%s/go,direct\n".formatted(CACHE);

  private static final List<String> GO_FOLDERS = List.of("usr/local", "usr/lib", "usr/share");
  private static final Pattern GO_HOME = Pattern.compile("go(?:-[0-9.]+)?");
  private static final String GO_SETTINGS = "go.env";

  /** In the root, so that what is in a project's folder or in the home wins there. */
  private static final String CARGO =
      """
      [source.crates-io]
      replace-with = "atoll"
      [source.atoll]
      registry = "sparse+%s/cargo/"
      """
          .formatted(CACHE);

  /** Where a Node may be, each with its program in {@code bin}. */
  private static final List<String> NODE_HOMES =
      List.of("usr", "usr/local", "usr/local/lib/nodejs");

  /**
   * For the central repository alone, whatever else a project names. Written as a list, since Maven
   * takes a mirror of one name for more important than any of the user's that stand for several.
   */
  private static final String MAVEN =
      """
          <mirror>
            <id>atoll</id>
            <name>the server's package cache</name>
            <url>%s/maven/</url>
            <mirrorOf>central,central</mirrorOf>
          </mirror>
      """
          .formatted(CACHE);

  /** Where there is no other: what Maven brings along, which refuses repositories without TLS. */
  private static final String MAVEN_SETTINGS =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <settings xmlns="http://maven.apache.org/SETTINGS/1.0.0">
        <mirrors>
          <mirror>
            <id>maven-default-http-blocker</id>
            <mirrorOf>external:http:*</mirrorOf>
            <url>http://0.0.0.0/</url>
            <blocked>true</blocked>
          </mirror>
        </mirrors>
      </settings>
      """;

  /** Where a Maven may be; its settings are in {@code conf}, and count less than a user's. */
  private static final List<String> MAVEN_HOMES =
      List.of("usr/share/maven", "usr/local/lib/maven", "usr/local/maven");

  /** Only what a build calls the central repository; Gradle before 6 knows no other protocol. */
  private static final String GRADLE =
      """
      import org.gradle.api.artifacts.ArtifactRepositoryContainer

      // Asks the server's package cache in place of Maven's central repository.
      def central = ArtifactRepositoryContainer.MAVEN_CENTRAL_URL.replaceFirst('/+$', '')
      def cached = { repository ->
        if (repository.hasProperty('url') && "$repository.url".replaceFirst('/+$', '') == central) {
          repository.url = '%s/maven/'
          if (repository.hasProperty('allowInsecureProtocol')) {
            repository.allowInsecureProtocol = true
          }
        }
      }
      if (gradle.metaClass.respondsTo(gradle, 'beforeSettings', Closure)) {
        gradle.beforeSettings { settings ->
          settings.buildscript.repositories.all(cached)
          settings.pluginManagement.repositories.all(cached)
          if (settings.hasProperty('dependencyResolutionManagement')) {
            settings.dependencyResolutionManagement.repositories.all(cached)
          }
        }
      }
      allprojects {
        buildscript.repositories.all(cached)
        repositories.all(cached)
      }
      """
          .formatted(CACHE);

  /** Where a Gradle may be, which reads what is in {@code init.d} before any build. */
  private static final List<String> GRADLE_HOMES =
      List.of("usr/share/gradle", "usr/local/lib/gradle", "usr/local/gradle");

  private static final String JAVA =
      """

      http.proxyHost=127.0.0.1
      http.proxyPort=3128
      https.proxyHost=127.0.0.1
      https.proxyPort=3128
      """;

  /** All that is written, so that templates are built anew when it changes. */
  static final String SETTINGS =
      APT
          + APT_CACHE
          + PIP
          + UV
          + NPM
          + YARN
          + YARN_LATER
          + MAVEN
          + MAVEN_SETTINGS
          + GRADLE
          + GO
          + CARGO
          + JAVA;

  /** A comment, or the end of the list of mirrors outside of any. */
  private static final Pattern MIRRORS_END = Pattern.compile("(?s)<!--.*?-->|(</mirrors>)");

  private static final Pattern JAVA_HOME = Pattern.compile("java-[a-zA-Z0-9.-]+");

  private static final String JAVA_TRUST = "/etc/ssl/certs/java";

  /** Java's own default, which programs that open the file expect; it protects nothing. */
  private static final char[] JAVA_PASSWORD = "changeit".toCharArray();

  private static final int MOST_BYTES = 1 << 20;

  private final ForeignTree tree;

  ClientFiles(ForeignTree tree) {
    this.tree = tree;
  }

  /** Path in the guest to content. */
  Map<String, byte[]> all() throws IOException {
    Map<String, byte[]> files = new LinkedHashMap<>();
    if (!isFolder("etc")) {
      return files;
    }
    if (isFolder("etc/apt/apt.conf.d")) {
      files.put("/etc/apt/apt.conf.d/95atoll-proxy", APT.getBytes(StandardCharsets.UTF_8));
    }
    java(files);
    buildTools(files);
    packageManagers(files);
    Optional<Path> bundle = HostCertificates.bundle();
    if (bundle.isPresent() && isFolder(JAVA_TRUST)) {
      files.put(JAVA_TRUST + "/cacerts", javaTrust(bundle.get()));
    }
    return files;
  }

  private void java(Map<String, byte[]> files) throws IOException {
    TreeDirectory etc = tree.findDirectory("etc");
    for (String home : etc == null ? List.<String>of() : etc.names()) {
      String path = "/etc/" + home + "/net.properties";
      String settings = JAVA_HOME.matcher(home).matches() ? smallFile(path) : null;
      if (settings != null && !settings.contains(JAVA)) {
        files.put(path, (settings + JAVA).getBytes(StandardCharsets.ISO_8859_1));
      }
    }
  }

  /**
   * Lets apt ask the package cache.
   *
   * <p>Only for a Debian that the host has made: the cache knows the archives of no other.
   */
  Map<String, byte[]> aptCache() throws IOException {
    String sources = isFolder("etc/apt/apt.conf.d") ? smallFile("etc/apt/sources.list") : null;
    if (sources == null) {
      return Map.of();
    }
    Set<String> hosts = new TreeSet<>();
    Matcher matcher = APT_HOST.matcher(sources);
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
  private void packageManagers(Map<String, byte[]> files) throws IOException {
    files.put("/etc/xdg/pip/pip.conf", PIP.getBytes(StandardCharsets.UTF_8));
    files.put("/etc/xdg/uv/uv.toml", UV.getBytes(StandardCharsets.UTF_8));
    files.put("/.cargo/config.toml", CARGO.getBytes(StandardCharsets.UTF_8));
    go(files);
    for (String home : NPM_HOMES) {
      if (isFolder(home)) {
        files.put("/" + home + "/npmrc", NPM.getBytes(StandardCharsets.UTF_8));
      }
    }
    for (String home : NODE_HOMES) {
      TreeDirectory programs = tree.findDirectory(home + "/bin");
      FileStatus node = programs == null ? null : programs.status("node");
      if (node != null && node.isFile()) {
        files.put("/" + home + "/etc/npmrc", YARN.getBytes(StandardCharsets.UTF_8));
        files.put("/.yarnrc.yml", YARN_LATER.getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private void buildTools(Map<String, byte[]> files) throws IOException {
    for (String home : installed(MAVEN_HOMES, "conf")) {
      String settings = smallFile("/" + home + "/conf/settings.xml");
      String with = withMirror(settings == null ? MAVEN_SETTINGS : settings);
      if (with != null) {
        files.put("/" + home + "/conf/settings.xml", with.getBytes(StandardCharsets.ISO_8859_1));
      }
    }
    Set<String> homes = new TreeSet<>(installed(GRADLE_HOMES, "init.d"));
    if (isFolder("usr/lib/jvm")) {
      // Debian's Gradle may still come.
      homes.add("usr/share/gradle");
    }
    for (String home : homes) {
      files.put("/" + home + "/init.d/atoll.gradle", GRADLE.getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Those of the usual homes, and of the folders of {@code /opt}, that have such a folder. */
  private List<String> installed(List<String> usual, String folder) throws IOException {
    List<String> homes = new ArrayList<>(usual);
    TreeDirectory optional = tree.findDirectory("opt");
    if (optional != null) {
      optional.names().forEach(name -> homes.add("opt/" + name));
    }
    List<String> found = new ArrayList<>();
    for (String home : homes) {
      if (isFolder(home + "/" + folder)) {
        found.add(home);
      }
    }
    return found;
  }

  /**
   * Behind all that is there, so that whoever wrote these settings wins; null if nothing changes.
   */
  private static @Nullable String withMirror(String settings) {
    if (settings.contains(MAVEN)) {
      return null;
    }
    // An example in a comment ends the same way.
    Matcher end = MIRRORS_END.matcher(settings);
    int at = -1;
    while (end.find()) {
      at = end.group(1) == null ? at : end.start();
    }
    if (at >= 0) {
      return settings.substring(0, at) + MAVEN + "  " + settings.substring(at);
    }
    int last = settings.lastIndexOf("</settings>");
    return last < 0
        ? null
        : settings.substring(0, last)
            + "  <mirrors>\n"
            + MAVEN
            + "  </mirrors>\n"
            + settings.substring(last);
  }

  /** In the installation's own settings, which count least. */
  private void go(Map<String, byte[]> files) throws IOException {
    for (String folder : GO_FOLDERS) {
      TreeDirectory homes = tree.findDirectory(folder);
      for (String home : homes == null ? List.<String>of() : homes.names()) {
        String path = folder + "/" + home + "/" + GO_SETTINGS;
        String settings = GO_HOME.matcher(home).matches() ? smallFile(path) : null;
        if (settings != null && !settings.startsWith(GO)) {
          files.put("/" + path, (GO + settings).getBytes(StandardCharsets.ISO_8859_1));
        }
      }
    }
  }

  private boolean isFolder(String path) throws IOException {
    return tree.findDirectory(path) != null;
  }

  /** The text of a file; null if there is none, or it is not small. */
  private @Nullable String smallFile(String path) throws IOException {
    byte[] content = tree.read(path, MOST_BYTES);
    return content == null || content.length == MOST_BYTES
        ? null
        : new String(content, StandardCharsets.ISO_8859_1);
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
