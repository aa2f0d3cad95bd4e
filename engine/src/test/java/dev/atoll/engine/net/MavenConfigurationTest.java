package dev.atoll.engine.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which repository the package cache asks, by the configuration of the host's own Maven. */
class MavenConfigurationTest {
  @TempDir Path root;

  private List<URI> repository() {
    return new MavenConfiguration().repository(SearchRoot.host(root));
  }

  private void write(String path, String content) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    Files.writeString(file, content);
  }

  private static String mirror(String of, String url) {
    return "<mirror><id>x</id><mirrorOf>%s</mirrorOf><url>%s</url></mirror>".formatted(of, url);
  }

  private static String settings(String... mirrors) {
    return "<settings><mirrors>" + String.join("", mirrors) + "</mirrors></settings>";
  }

  private void install(String lib) throws IOException {
    Path jar = root.resolve(lib).resolve("maven-model-builder-3.9.jar");
    Files.createDirectories(root.resolve(lib));
    try (OutputStream out = Files.newOutputStream(jar);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.putNextEntry(new ZipEntry("org/apache/maven/model/pom-4.0.0.xml"));
      zip.write(
          "<project><repositories><repository><url>https://central.test/x</url></repository></repositories></project>"
              .getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  void withoutAnyMavenNobodySays() {
    assertThat(repository()).isEmpty();
  }

  @Test
  void theInstalledMavensOwnIsTheDefault() throws IOException {
    install("usr/share/maven/lib");
    assertThat(repository()).containsExactly(URI.create("https://central.test/x"));
    write("root/.m2/settings.xml", settings(mirror("internal", "https://internal.test/")));
    assertThat(repository()).containsExactly(URI.create("https://central.test/x"));
  }

  @Test
  void aMirrorOfTheCentralRepositoryTakesItsPlace() throws IOException {
    install("opt/apache-maven/lib");
    write("etc/maven/settings.xml", settings(mirror("external:*", "https://all.test/")));
    assertThat(repository()).containsExactly(URI.create("https://all.test/"));
    write(
        "root/.m2/settings.xml",
        settings(
            "<!-- " + mirror("central", "https://no.test/") + "-->",
            mirror("*,!central", "https://others.test/"),
            mirror("*", "https://mine.test/"),
            "<mirror><mirrorOf>central</mirrorOf><url>http://0.0.0.0/</url><blocked>true</blocked></mirror>"));
    assertThat(repository()).containsExactly(URI.create("https://mine.test/"));
    write(
        "root/.m2/settings.xml",
        settings(
            mirror("*", "https://mine.test/"),
            mirror(" central ", "https://user:word@exact.test/x")));
    assertThat(repository()).containsExactly(URI.create("https://exact.test/x"));
  }
}
