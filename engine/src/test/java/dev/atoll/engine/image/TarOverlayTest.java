package dev.atoll.engine.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarOverlayTest {
  @TempDir Path folder;
  private Path root;
  private Path outside;
  private TarOverlay overlay;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes, "UTF-8");

  @BeforeEach
  void makeTrees() throws IOException {
    root = Files.createDirectory(folder.resolve("root"));
    outside = Files.createDirectory(folder.resolve("outside"));
    Files.writeString(outside.resolve("secret"), "host");
    overlay = new TarOverlay(root, 1 << 20);
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    tar.setAddPaxHeadersForNonAsciiNames(true);
  }

  private void file(String name, String content) throws IOException {
    byte[] text = content.getBytes(StandardCharsets.UTF_8);
    TarArchiveEntry entry = owned(new TarArchiveEntry(name, true));
    entry.setSize(text.length);
    entry.setMode(0640);
    tar.putArchiveEntry(entry);
    tar.write(text);
    tar.closeArchiveEntry();
  }

  private void link(String name, String target, byte kind) throws IOException {
    TarArchiveEntry entry = owned(new TarArchiveEntry(name, kind, true));
    entry.setLinkName(target);
    tar.putArchiveEntry(entry);
    tar.closeArchiveEntry();
  }

  private static TarArchiveEntry owned(TarArchiveEntry entry) throws IOException {
    Path self = Path.of(".");
    entry.setIds(
        (int) Files.getAttribute(self, "unix:uid"), (int) Files.getAttribute(self, "unix:gid"));
    return entry;
  }

  private byte[] archive() throws IOException {
    tar.finish();
    return bytes.toByteArray();
  }

  private void apply() throws IOException {
    overlay.apply(new ByteArrayInputStream(archive()));
  }

  private void applyLayer() throws IOException {
    overlay.applyLayer(new ByteArrayInputStream(archive()));
  }

  @Test
  void filesAndLinksAreLaidOverTheTree() throws IOException {
    Files.createDirectory(root.resolve("etc"));
    Files.writeString(root.resolve("etc/old"), "old");
    file("./etc/old", "new");
    file("usr/share/Főtanúsítvány.crt", "name");
    link("usr/bin/sh", "dash", TarConstants.LF_SYMLINK);
    link("etc/same", "etc/old", TarConstants.LF_LINK);
    apply();
    assertThat(root.resolve("etc/old")).hasContent("new");
    assertThat(root.resolve("etc/same")).hasContent("new");
    assertThat(Files.readSymbolicLink(root.resolve("usr/bin/sh"))).hasToString("dash");
    assertThat((int) Files.getAttribute(root.resolve("etc/old"), "unix:mode") & 0777)
        .isEqualTo(0640);
    try (var files = Files.list(root.resolve("usr/share"))) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void compressedArchivesAreRead() throws IOException {
    file("a", "b");
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(archive());
    }
    overlay.apply(new ByteArrayInputStream(packed.toByteArray()));
    assertThat(root.resolve("a")).hasContent("b");
  }

  @Test
  void aFileThatIsSharedWithAnotherTreeIsNotWrittenInPlace() throws IOException {
    Path shared = Files.writeString(folder.resolve("shared"), "base");
    Files.createLink(root.resolve("file"), shared);
    file("file", "layer");
    apply();
    assertThat(root.resolve("file")).hasContent("layer");
    assertThat(shared).hasContent("base");
  }

  @Test
  void pathsStayInTheRoot() throws IOException {
    file("../../outside/escaped", "x");
    file("/absolute", "y");
    apply();
    assertThat(outside.resolve("escaped")).doesNotExist();
    assertThat(root.resolve("outside/escaped")).hasContent("x");
    assertThat(root.resolve("absolute")).hasContent("y");
  }

  @Test
  void linksLeadOnlyToPlacesInTheRoot() throws IOException {
    link("out", outside.toString(), TarConstants.LF_SYMLINK);
    link("up", "../../outside", TarConstants.LF_SYMLINK);
    file("out/secret", "taken");
    file("up/secret", "taken too");
    link("copy", "out/secret", TarConstants.LF_LINK);
    apply();
    assertThat(outside.resolve("secret")).hasContent("host");
    assertThat(root.resolve(outside.toString().substring(1)).resolve("secret")).hasContent("taken");
    assertThat(root.resolve("outside/secret")).hasContent("taken too");
  }

  @Test
  void aFileBehindALinkIsNotWrittenTo() throws IOException {
    Files.createSymbolicLink(root.resolve("file"), outside.resolve("secret"));
    file("file", "mine");
    apply();
    assertThat(outside.resolve("secret")).hasContent("host");
    assertThat(Files.isSymbolicLink(root.resolve("file"))).isFalse();
    assertThat(root.resolve("file")).hasContent("mine");
  }

  @Test
  void aHardLinkToSomethingOutsideIsRefused() throws IOException {
    Files.createSymbolicLink(root.resolve("bait"), outside.resolve("secret"));
    link("caught", "bait", TarConstants.LF_LINK);
    assertThatThrownBy(this::apply).isInstanceOf(AtollException.class);
    assertThat(Files.exists(root.resolve("caught"), LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  @Test
  void linksInACircleAreRefused() throws IOException {
    link("a", "b", TarConstants.LF_SYMLINK);
    link("b", "a", TarConstants.LF_SYMLINK);
    file("a/file", "x");
    assertThatThrownBy(this::apply).isInstanceOf(AtollException.class).hasMessageContaining("link");
  }

  @Test
  void devicesAndPipesArePassedOver() throws IOException {
    for (byte kind : new byte[] {TarConstants.LF_CHR, TarConstants.LF_BLK, TarConstants.LF_FIFO}) {
      tar.putArchiveEntry(owned(new TarArchiveEntry("dev" + kind, kind, true)));
      tar.closeArchiveEntry();
    }
    apply();
    assertThat(root).isEmptyDirectory();
  }

  @Test
  void moreThanIsAllowedIsRefused() throws IOException {
    file("big", "x".repeat((1 << 20) + 1));
    assertThatThrownBy(this::apply)
        .isInstanceOf(AtollException.class)
        .hasMessageContaining("larger");
  }

  @Test
  void whatIsNoArchiveIsRefused() {
    byte[] noise = "this is no archive at all".repeat(100).getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> overlay.apply(new ByteArrayInputStream(noise)))
        .isInstanceOfAny(AtollException.class, IOException.class);
  }

  @Test
  void whiteoutsRemoveWhatIsBelow() throws IOException {
    Files.createDirectories(root.resolve("etc/conf"));
    Files.writeString(root.resolve("etc/gone"), "x");
    Files.writeString(root.resolve("etc/stays"), "x");
    Files.writeString(root.resolve("etc/conf/below"), "x");
    file("etc/.wh.gone", "");
    file("etc/conf/above", "y");
    file("etc/conf/.wh..wh..opq", "");
    file("etc/.wh.never-there", "");
    applyLayer();
    assertThat(root.resolve("etc/gone")).doesNotExist();
    assertThat(root.resolve("etc/stays")).exists();
    assertThat(root.resolve("etc/conf/below")).doesNotExist();
    assertThat(root.resolve("etc/conf/above")).hasContent("y");
    assertThat(root.resolve("etc/.wh.gone")).doesNotExist();
  }

  @Test
  void aWhiteoutBehindALinkRemovesNothingOutside() throws IOException {
    Files.createSymbolicLink(root.resolve("out"), outside);
    file("out/.wh.secret", "");
    file("out/.wh..wh..opq", "");
    applyLayer();
    assertThat(outside.resolve("secret")).hasContent("host");
  }

  @Test
  void removalsDoNotFollowLinks() throws IOException {
    Files.createSymbolicLink(root.resolve("out"), outside);
    overlay.remove("/out/secret");
    overlay.remove("/../outside/secret");
    overlay.remove("/out");
    assertThat(outside.resolve("secret")).hasContent("host");
    assertThat(Files.exists(root.resolve("out"), LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  /** A parent that is a link by the end of the archive leads nowhere when attributes are set. */
  @Test
  void attributesOfADirectoryDoNotFollowAParentThatBecameALink() throws IOException {
    Path victim = Files.createDirectory(outside.resolve("cron.d"));
    Files.setLastModifiedTime(victim, FileTime.from(Instant.EPOCH));
    String before = state(victim);
    directory("x/", 0755);
    directory("x/cron.d/", 0777);
    link("x", outside.toString(), TarConstants.LF_SYMLINK);
    apply();
    assertThat(state(victim)).isEqualTo(before);
    assertThat(Files.isSymbolicLink(root.resolve("x"))).isTrue();
  }

  private void directory(String name, int mode) throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name, true);
    entry.setIds(12345, 12345);
    entry.setMode(mode);
    tar.putArchiveEntry(entry);
    tar.closeArchiveEntry();
  }

  private static String state(Path file) throws IOException {
    return Files.readAttributes(file, "unix:mode,uid,gid,lastModifiedTime").toString();
  }
}
