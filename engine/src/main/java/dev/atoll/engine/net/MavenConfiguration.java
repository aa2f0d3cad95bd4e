package dev.atoll.engine.net;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Mirrors and repositories of Maven's settings.xml, and the repository of the installed Maven's own
 * super POM.
 */
final class MavenConfiguration implements ManagerConfiguration {
  // Addresses are picked out of the text: a settings file is not worth an XML parser's dangers.
  private static final Pattern COMMENT = Pattern.compile("(?s)<!--.*?-->");
  private static final Pattern BLOCKED =
      Pattern.compile("(?s)<mirror>(?:(?!</mirror>).)*<blocked>\\s*true\\s*</blocked>.*?</mirror>");
  private static final Pattern MIRROR = Pattern.compile("(?s)<mirror>.*?</mirror>");
  private static final Pattern MIRROR_OF = Pattern.compile("<mirrorOf>\\s*([^<]*?)\\s*</mirrorOf>");
  private static final String CENTRAL = "central";
  private static final Set<String> EVERYTHING_OUTSIDE = Set.of("*", "external:*", CENTRAL);
  private static final Pattern URL = Pattern.compile("<url>\\s*(https?://[^<\\s]+)\\s*</url>");
  private static final String SUPER_POM = "org/apache/maven/model/pom-4.0.0.xml";
  private static final int MAX_POM = 64 << 10;
  private static final long MAX_JAR = 16L << 20;
  private static final List<String> SETTINGS =
      List.of(
          "etc/maven/settings.xml",
          "usr/share/maven/conf/settings.xml",
          "usr/local/lib/maven/conf/settings.xml",
          "opt/*/conf/settings.xml");
  private static final List<String> INSTALLED =
      List.of(
          "usr/share/maven/lib/maven-model-builder*.jar",
          "usr/share/java/maven-model-builder*.jar",
          "usr/local/lib/maven/lib/maven-model-builder*.jar",
          "opt/*/lib/maven-model-builder*.jar");

  @Override
  public List<Found> find(SearchRoot root) {
    List<Found> found = new ArrayList<>();
    for (SearchRoot.Text file : settings(root)) {
      found.addAll(ManagerConfiguration.matches(URL, plain(file), file.path(), true));
    }
    // A mirror may stand for some repositories only.
    found.addAll(builtIn(root));
    return found;
  }

  /** What Maven asks in place of its central repository, or that one; none when nobody says. */
  List<URI> repository(SearchRoot root) {
    List<Found> exact = new ArrayList<>();
    List<Found> other = new ArrayList<>();
    for (SearchRoot.Text file : settings(root)) {
      Matcher mirror = MIRROR.matcher(plain(file));
      while (mirror.find()) {
        List<Found> at = ManagerConfiguration.matches(URL, mirror.group(), file.path(), true);
        String of = first(MIRROR_OF, mirror.group());
        (of.equals(CENTRAL) ? exact : isForCentral(of) ? other : new ArrayList<Found>()).addAll(at);
      }
    }
    // As Maven chooses: one for it by its name, then the first of those that have it among others.
    return Stream.of(exact, other, builtIn(root))
        .flatMap(List::stream)
        .limit(1)
        .map(ManagerConfiguration::withoutUser)
        .toList();
  }

  private static boolean isForCentral(String mirrorOf) {
    List<String> repositories = List.of(mirrorOf.split("\\s*,\\s*", -1));
    return !repositories.contains("!" + CENTRAL)
        && repositories.stream().anyMatch(EVERYTHING_OUTSIDE::contains);
  }

  private static String first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group(1) : "";
  }

  /** Those of the user come first, for they win. */
  private static List<SearchRoot.Text> settings(SearchRoot root) {
    List<SearchRoot.Text> files = new ArrayList<>(root.homeTexts(".m2/settings.xml"));
    for (String place : SETTINGS) {
      files.addAll(root.texts(place));
    }
    return files;
  }

  private static String plain(SearchRoot.Text file) {
    return BLOCKED.matcher(COMMENT.matcher(file.text()).replaceAll("")).replaceAll("");
  }

  private static List<Found> builtIn(SearchRoot root) {
    return INSTALLED.stream()
        .flatMap(place -> root.files(place).stream())
        .flatMap(jar -> builtIn(jar).stream())
        .toList();
  }

  private static List<Found> builtIn(Path jar) {
    // A template may have anything there, and the table of an archive is read as a whole.
    if (!Files.isRegularFile(jar) || jar.toFile().length() > MAX_JAR) {
      return List.of();
    }
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      ZipEntry entry = zip.getEntry(SUPER_POM);
      if (entry == null) {
        return List.of();
      }
      try (InputStream in = zip.getInputStream(entry)) {
        String pom = new String(in.readNBytes(MAX_POM), StandardCharsets.UTF_8);
        return ManagerConfiguration.matches(URL, pom, "Maven's super POM", false);
      }
    } catch (IOException e) {
      return List.of();
    }
  }
}
