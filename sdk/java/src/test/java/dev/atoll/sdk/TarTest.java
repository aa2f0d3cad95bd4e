package dev.atoll.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TarTest {
  @TempDir Path temp;
  private Path root;

  @BeforeEach
  void makeRoot() {
    root = temp.resolve("root");
  }

  @Test
  void aDirectoryComesBackAsItWas() throws Exception {
    Path source = Files.createDirectory(temp.resolve("source"));
    String longName = "n".repeat(120) + "ä";
    Files.writeString(source.resolve(longName), "long");
    Files.createDirectories(source.resolve("a/empty"));
    Files.write(source.resolve("a/big"), new byte[100_000]);
    Files.writeString(source.resolve("a/run.sh"), "#!/bin/sh\n");
    Files.setPosixFilePermissions(
        source.resolve("a/run.sh"), PosixFilePermissions.fromString("rwxr-x---"));
    Files.createSymbolicLink(source.resolve("a/link"), Path.of("../" + longName));
    try (InputStream tar = TarSource.of(source)) {
      assertThat(new TarExtraction(root).extract(tar)).isZero();
    }
    assertThat(root.resolve(longName)).hasContent("long");
    assertThat(root.resolve("a/empty")).isEmptyDirectory();
    assertThat(root.resolve("a/big")).hasSize(100_000);
    assertThat(Files.getPosixFilePermissions(root.resolve("a/run.sh")))
        .isEqualTo(PosixFilePermissions.fromString("rwxr-x---"));
    assertThat(root.resolve("a/link")).isSymbolicLink().hasContent("long");
  }

  @Test
  void systemTarReadsWhatWeWrite() throws Exception {
    Path source = Files.createDirectory(temp.resolve("source"));
    Files.writeString(source.resolve("n".repeat(150)), "content");
    Path archive = temp.resolve("x.tar");
    try (InputStream tar = TarSource.of(source)) {
      Files.copy(tar, archive);
    }
    Files.createDirectory(root);
    int status =
        new ProcessBuilder("tar", "-xf", archive.toString(), "-C", root.toString())
            .inheritIO()
            .start()
            .waitFor();
    assertThat(status).isZero();
    assertThat(root.resolve("n".repeat(150))).hasContent("content");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gnu", "pax", "ustar"})
  void weReadWhatSystemTarWrites(String format) throws Exception {
    Path source = Files.createDirectory(temp.resolve("source"));
    String name = format.equals("ustar") ? "d".repeat(90) + "/" + "n".repeat(90) : "n".repeat(150);
    Files.createDirectories(source.resolve(name).getParent());
    Files.writeString(source.resolve(name), "content");
    Process tar =
        new ProcessBuilder("tar", "--format=" + format, "-C", source.toString(), "-cf", "-", ".")
            .start();
    assertThat(new TarExtraction(root).extract(tar.getInputStream())).isZero();
    assertThat(root.resolve(name)).hasContent("content");
  }

  @ParameterizedTest
  @ValueSource(strings = {"../evil", "/tmp/atoll-evil", "a/../../evil", "..", "a/..", "./../evil"})
  void namesThatLeadOutAreLeftOut(String name) throws Exception {
    assertThat(extract(file(name, "x"), file("good", "y"))).isEqualTo(1);
    assertThat(root.resolve("good")).hasContent("y");
    assertThat(temp.resolve("evil")).doesNotExist();
    assertThat(Path.of("/tmp/atoll-evil")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/etc", "..", "../..", "a/../..", "d/..", ""})
  void linksThatLeadOutAreLeftOut(String target) throws Exception {
    assertThat(extract(link("d", "."), link("evil", target))).isEqualTo(1);
    assertThat(Files.exists(root.resolve("evil"), LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  @Test
  void aFileIsNotWrittenThroughALinkOfTheArchive() throws Exception {
    Path outside = Files.createDirectory(temp.resolve("outside"));
    int leftOut = extract(link("d", "../outside"), file("d/evil", "x"));
    assertThat(leftOut).isEqualTo(1);
    assertThat(outside).isEmptyDirectory();
    assertThat(root.resolve("d/evil")).hasContent("x");
  }

  @Test
  void aFileIsNotWrittenThroughALinkThatWasThereBefore() throws Exception {
    Path outside = Files.createDirectory(temp.resolve("outside"));
    Path victim = Files.writeString(temp.resolve("victim"), "safe");
    Files.createDirectory(root);
    Files.createSymbolicLink(root.resolve("d"), outside);
    Files.createSymbolicLink(root.resolve("f"), victim);
    extract(file("f", "new"));
    assertThat(victim).hasContent("safe");
    assertThat(root.resolve("f")).isRegularFile().hasContent("new");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> extract(file("d/evil", "x")))
        .withMessageContaining("in the way");
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void hardLinksAndDevicesAreLeftOutAndSetuidIsDropped() throws Exception {
    int leftOut =
        extract(
            entry(new TarHeader("hard", '1', 0, 0644, 0, "/etc/passwd"), ""),
            entry(new TarHeader("device", '3', 0, 0644, 0, ""), ""),
            entry(new TarHeader("tool", '0', 1, 04755, 0, ""), "x"));
    assertThat(leftOut).isEqualTo(2);
    assertThat((int) Files.getAttribute(root.resolve("tool"), "unix:mode") & 07777).isEqualTo(0755);
  }

  @Test
  void aBrokenArchiveIsAnErrorAndNotASilentEnd() throws Exception {
    byte[] whole = file("f", "x".repeat(2000));
    byte[] half = Arrays.copyOf(whole, 1000);
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> extract(half));
    byte[] noise = "this is no archive at all".repeat(40).getBytes(StandardCharsets.UTF_8);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> new TarExtraction(root).extract(new ByteArrayInputStream(noise)))
        .withMessageContaining("not a tar archive");
  }

  private int extract(byte[]... entries) throws IOException {
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    for (byte[] entry : entries) {
      archive.writeBytes(entry);
    }
    return new TarExtraction(root).extract(new ByteArrayInputStream(archive.toByteArray()));
  }

  private static byte[] file(String name, String content) {
    return entry(new TarHeader(name, TarHeader.FILE, content.length(), 0644, 0, ""), content);
  }

  private static byte[] link(String name, String target) {
    return entry(new TarHeader(name, TarHeader.SYMLINK, 0, 0777, 0, target), "");
  }

  private static byte[] entry(TarHeader header, String content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(header.encode());
    out.writeBytes(content.getBytes(StandardCharsets.UTF_8));
    out.writeBytes(new byte[TarHeader.padding(content.length())]);
    return out.toByteArray();
  }
}
