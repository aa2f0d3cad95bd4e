package dev.atoll.engine.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

@Timeout(120)
final class AptArchivesTest {
  private static final String DEB = "pool/main/d/demo/demo_1.0_all.deb";
  private static final String CONTENT = "a package";
  private static final String LISTS = "/debian/dists/demo/main/binary-all/";

  @TempDir Path folder;
  private FakeRegistry registry;
  private PackageCache cache;
  private String byHash = "";

  @BeforeEach
  void start() throws IOException {
    registry = new FakeRegistry();
    cache = open();
    publish(Digests.sha256(CONTENT));
  }

  @AfterEach
  void stop() {
    registry.close();
  }

  private static String hex(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private PackageCache open() {
    PackageSettings settings = PackageSettings.of(1 << 30, Duration.ZERO);
    return new PackageCache(settings, folder, registry);
  }

  private void publish(String sha256) throws IOException {
    String list =
        "Package: demo\nFilename: %s\nSHA256: %s\n\nPackage: other\nFilename: x\n"
            .formatted(DEB, sha256);
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (XZOutputStream out = new XZOutputStream(packed, new LZMA2Options())) {
      out.write(list.getBytes(StandardCharsets.UTF_8));
    }
    String digest = hex(packed.toByteArray());
    registry.page(
        "/debian/dists/demo/InRelease",
        "text/plain",
        "Suite: demo\nMD5Sum:\n 0123 1 main/binary-all/Packages.xz\nSHA256:\n %s %d main/binary-all/Packages.xz\n"
            .formatted(digest, packed.size()));
    registry.page(LISTS + "Packages.xz", "x/x", packed.toByteArray());
    registry.page(LISTS + "by-hash/SHA256/" + digest, "x/x", packed.toByteArray());
    registry.page("/debian/" + DEB, "x/x", CONTENT);
    byHash = LISTS + "by-hash/SHA256/" + digest;
  }

  /** What apt is answered: the status and the body. */
  private String get(String address) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String request = "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".formatted(address);
    try {
      cache.serve(
          new ByteArrayInputStream(request.getBytes(StandardCharsets.US_ASCII)),
          out,
          (code, message) -> {});
    } catch (IOException e) {
      return "broken";
    }
    String all = out.toString(StandardCharsets.ISO_8859_1);
    return all.substring(9, 12) + " " + all.substring(all.indexOf("\r\n\r\n") + 4);
  }

  private String archived(String path) {
    return get(registry.uri(path).toString());
  }

  @Test
  void whatOneHasInstalledTheNextInstallsWithoutTheArchive() {
    assertThat(archived("/debian/dists/demo/InRelease")).startsWith("200 Suite: demo");
    assertThat(archived(byHash)).startsWith("200 ");
    assertThat(archived("/debian/" + DEB)).isEqualTo("200 " + CONTENT);
    registry.off = true;
    cache = open();
    assertThat(archived("/debian/dists/demo/InRelease")).startsWith("200 Suite: demo");
    assertThat(archived(byHash)).startsWith("200 ");
    assertThat(archived("/debian/" + DEB)).isEqualTo("200 " + CONTENT);
    assertThat(registry.times("/debian/" + DEB)).isEqualTo(1);
  }

  @Test
  void aListByItsNameIsWhatTheReleasePromises() {
    assertThat(archived(LISTS + "Packages.xz")).startsWith("200 ");
    assertThat(archived("/debian/" + DEB)).isEqualTo("200 " + CONTENT);
    registry.off = true;
    assertThat(archived(LISTS + "Packages.xz")).startsWith("200 ");
    assertThat(archived("/debian/" + DEB)).isEqualTo("200 " + CONTENT);
    assertThat(archived("/debian/dists/demo/main/binary-all/Packages.gz")).startsWith("404 ");
  }

  @Test
  void aPackageThatIsNotWhatTheListPromisesIsBrokenOff() throws IOException {
    publish("0123456789abcdef".repeat(4));
    assertThat(archived(byHash)).startsWith("200 ");
    assertThat(archived("/debian/" + DEB)).isNotEqualTo("200 " + CONTENT);
  }

  @Test
  void aListThatIsNotWhatItsNameSaysIsBrokenOff() {
    String wrong = LISTS + "by-hash/SHA256/" + "0123456789abcdef".repeat(4);
    registry.page(wrong, "x/x", "Package: evil\n");
    assertThat(archived(wrong)).doesNotContain("evil");
  }

  @Test
  void aPackageThatNoListHasIsPassedOnAndNotKept() {
    registry.page("/debian/pool/unlisted.deb", "x/x", "unlisted");
    assertThat(archived("/debian/pool/unlisted.deb")).isEqualTo("200 unlisted");
    assertThat(archived("/debian/pool/unlisted.deb")).isEqualTo("200 unlisted");
    assertThat(registry.times("/debian/pool/unlisted.deb")).isEqualTo(2);
  }

  @Test
  void onlyArchivesThatTheServerKnowsAreAsked() {
    registry.page("/other/file", "x/x", "secret");
    assertThat(archived("/other/file")).startsWith("403 ").contains("packages.apt");
    assertThat(archived("/debian/../other/file")).startsWith("403 ");
    assertThat(get("http://elsewhere.test/debian/" + DEB)).startsWith("403 ");
    assertThat(registry.asked).isEmpty();
  }
}
