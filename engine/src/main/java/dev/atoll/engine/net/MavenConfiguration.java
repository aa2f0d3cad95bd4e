package dev.atoll.engine.net;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
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
  private static final Pattern URL = Pattern.compile("<url>\\s*(https?://[^<\\s]+)\\s*</url>");
  private static final String SUPER_POM = "org/apache/maven/model/pom-4.0.0.xml";
  private static final int MAX_POM = 64 << 10;
  private static final long MAX_JAR = 16L << 20;
  private static final List<String> INSTALLED =
      List.of(
          "usr/share/maven/lib/maven-model-builder*.jar",
          "usr/share/java/maven-model-builder*.jar",
          "opt/*/lib/maven-model-builder*.jar");

  @Override
  public List<Found> find(SearchRoot root) {
    List<SearchRoot.Text> files = new ArrayList<>(root.homeTexts(".m2/settings.xml"));
    files.addAll(root.texts("etc/maven/settings.xml"));
    files.addAll(root.texts("usr/share/maven/conf/settings.xml"));
    List<Found> found = new ArrayList<>();
    for (SearchRoot.Text file : files) {
      String text = BLOCKED.matcher(COMMENT.matcher(file.text()).replaceAll("")).replaceAll("");
      found.addAll(ManagerConfiguration.matches(URL, text, file.path(), true));
    }
    // A mirror may stand for some repositories only.
    for (String place : INSTALLED) {
      root.files(place).forEach(jar -> found.addAll(builtIn(jar)));
    }
    return found;
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
