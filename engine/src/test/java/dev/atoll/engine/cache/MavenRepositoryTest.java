package dev.atoll.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.atoll.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Maven's and Gradle's requests, answered by a repository on loopback through the cache. */
@Timeout(120)
final class MavenRepositoryTest {
  private static final String JAR = "/org/demo/demo/1.0/demo-1.0.jar";
  private static final String METADATA = "/org/demo/demo/maven-metadata.xml";
  private static final String CONTENT = "what is in a jar";

  @TempDir Path folder;
  private final List<ErrorCode> troubles = new ArrayList<>();
  private FakeRegistry registry;
  private PackageCache cache;

  @BeforeEach
  void start() throws IOException {
    registry = new FakeRegistry();
    cache = open(Duration.ofHours(1));
    publish(JAR, CONTENT);
    publish(JAR + ".sha1", hex("SHA-1", CONTENT));
  }

  @AfterEach
  void stop() {
    registry.close();
  }

  private PackageCache open(Duration pageAge) {
    return new PackageCache(PackageSettings.of(1 << 30, pageAge), folder, registry);
  }

  private void publish(String path, String content) {
    registry.page("/maven2" + path, "application/octet-stream", content);
  }

  private static String hex(String algorithm, String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance(algorithm).digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private String get(String path) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String request =
        "GET /maven%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".formatted(path);
    try {
      cache.serve(
          new ByteArrayInputStream(request.getBytes(StandardCharsets.US_ASCII)),
          out,
          (code, message) -> troubles.add(code));
    } catch (IOException e) {
      return "broken";
    }
    String all = out.toString(StandardCharsets.UTF_8);
    return all.substring(9, 12) + " " + all.substring(all.indexOf("\r\n\r\n") + 4);
  }

  private List<Path> kept() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("files"))) {
      return files.toList();
    }
  }

  @Test
  void aJarIsFetchedOnceAndGivenAlsoWhenTheRepositoryIsGone() throws IOException {
    assertThat(get(JAR)).isEqualTo("200 " + CONTENT);
    assertThat(get(JAR + ".sha1")).isEqualTo("200 " + hex("SHA-1", CONTENT));
    assertThat(kept()).singleElement().asString().endsWith("sha1-" + hex("SHA-1", CONTENT));
    registry.off = true;
    cache = open(Duration.ZERO);
    assertThat(get(JAR)).isEqualTo("200 " + CONTENT);
    assertThat(get(JAR + ".sha1")).isEqualTo("200 " + hex("SHA-1", CONTENT));
    assertThat(registry.times("/maven2" + JAR)).isEqualTo(1);
    assertThat(registry.times("/maven2" + JAR + ".sha1")).isEqualTo(1);
    assertThat(troubles).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"sha512, SHA-512", "sha256, SHA-256"})
  void theBestChecksumCounts(String ending, String algorithm) throws IOException {
    publish(JAR + "." + ending, hex(algorithm, CONTENT));
    publish(JAR + ".sha1", hex("SHA-1", "something else"));
    assertThat(get(JAR)).isEqualTo("200 " + CONTENT);
    assertThat(kept()).singleElement().asString().contains(ending + "-");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sha512", "sha256", "sha1"})
  void whatIsNotWhatTheChecksumPromisesIsNeitherGivenWholeNorKept(String ending)
      throws IOException {
    String algorithm = ending.replace("sha", "SHA-");
    publish(JAR + "." + ending, hex(algorithm, "what the author wrote"));
    assertThat(get(JAR)).doesNotContain(CONTENT);
    assertThat(troubles).contains(ErrorCode.PACKAGE_CORRUPT);
    assertThat(kept()).isEmpty();
    publish(JAR, "what the author wrote");
    assertThat(get(JAR)).isEqualTo("200 what the author wrote");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"%s  demo-1.0.jar\n", "SHA1(demo-1.0.jar)= %s", "demo-1.0.jar: %s", " %s\r\n"})
  void checksumsAreReadHoweverToolsWroteThem(String form) throws IOException {
    publish(JAR + ".sha1", form.formatted(hex("SHA-1", CONTENT).toUpperCase(Locale.ROOT)));
    assertThat(get(JAR)).isEqualTo("200 " + CONTENT);
    assertThat(get(JAR + ".sha1")).isEqualTo("200 " + hex("SHA-1", CONTENT));
    assertThat(kept()).hasSize(1);
  }

  @Test
  void aChecksumThatIsNoneIsNotPassedOver() throws IOException {
    publish(JAR + ".sha256", "<html>please log in</html>");
    assertThat(get(JAR)).startsWith("504 package_corrupt: ").doesNotContain(CONTENT);
    assertThat(troubles).containsExactly(ErrorCode.PACKAGE_CORRUPT);
    assertThat(kept()).isEmpty();
  }

  @Test
  void aRepositoryThatDoesNotTellWhetherThereIsABetterChecksumIsNotBelieved() {
    registry.failing = ".sha512";
    assertThat(get(JAR)).startsWith("504 registry_unreachable: ");
    assertThat(troubles).containsExactly(ErrorCode.REGISTRY_UNREACHABLE);
    registry.failing = "";
    assertThat(get(JAR)).isEqualTo("200 " + CONTENT);
  }

  @Test
  void whatHasNoChecksumIsPassedOnAndNotKept() throws IOException {
    publish("/org/demo/demo/1.0/demo-1.0.pom.asc", "signed");
    assertThat(get("/org/demo/demo/1.0/demo-1.0.pom.asc")).isEqualTo("200 signed");
    assertThat(get("/org/demo/demo/1.0/demo-1.0.pom.asc")).isEqualTo("200 signed");
    assertThat(registry.times("/maven2/org/demo/demo/1.0/demo-1.0.pom.asc")).isEqualTo(2);
    assertThat(kept()).isEmpty();
  }

  @Test
  void whatTheRepositoryDoesNotHaveIsMissing() {
    assertThat(get("/org/demo/demo/2.0/demo-2.0.jar")).startsWith("404 ");
    assertThat(get("/org/demo/demo/2.0/demo-2.0.jar.sha1")).startsWith("404 ");
    assertThat(get("/org/nobody/maven-metadata.xml")).startsWith("404 ");
    assertThat(get("/org/nobody/maven-metadata.xml.sha1")).startsWith("404 ");
    assertThat(troubles).isEmpty();
  }

  @Test
  void metadataIsAPageThatGrowsOldAndItsChecksumsAreThoseOfWhatIsGiven() {
    publish(METADATA, "<metadata>1.0</metadata>");
    publish(METADATA + ".sha1", "of another time");
    assertThat(get(METADATA)).isEqualTo("200 <metadata>1.0</metadata>");
    publish(METADATA, "<metadata>2.0</metadata>");
    assertThat(get(METADATA)).isEqualTo("200 <metadata>1.0</metadata>");
    for (String ending : List.of("md5", "sha1", "sha256", "sha512")) {
      String algorithm = ending.equals("md5") ? "MD5" : ending.replace("sha", "SHA-");
      assertThat(get(METADATA + "." + ending))
          .isEqualTo("200 " + hex(algorithm, "<metadata>1.0</metadata>"));
    }
    cache = open(Duration.ZERO);
    assertThat(get(METADATA)).isEqualTo("200 <metadata>2.0</metadata>");
    registry.off = true;
    assertThat(get(METADATA)).isEqualTo("200 <metadata>2.0</metadata>");
  }

  @Test
  void aSnapshotIsWhatItIsNow() {
    String snapshot = "/org/demo/demo/2.0-SNAPSHOT/demo-2.0-SNAPSHOT.jar";
    publish(snapshot, "first");
    publish(snapshot + ".sha1", hex("SHA-1", "first"));
    cache = open(Duration.ZERO);
    assertThat(get(snapshot)).isEqualTo("200 first");
    publish(snapshot, "second");
    publish(snapshot + ".sha1", hex("SHA-1", "second"));
    assertThat(get(snapshot)).isEqualTo("200 second");
    registry.off = true;
    assertThat(get(snapshot)).isEqualTo("200 second");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "/org/demo/",
        "/org//demo.jar",
        "/../secret",
        "/org/../../secret",
        "/org/%2e%2e/secret",
        "/org/demo%3Fx.jar",
        "/org/demo%0d%0a.jar",
        "/.index/x.gz",
        "/http:%2f%2felsewhere.test/x.jar"
      })
  void whatIsNoFileIsNotAskedFor(String path) {
    assertThat(get(path)).startsWith("404 ");
    assertThat(registry.asked).isEmpty();
  }
}
