package dev.atoll.engine.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageArchiveTest {
  private static final byte[] DESCRIPTION = "{\"cpus\":2}".getBytes(UTF_8);

  private final Path folder;
  private final Path rootfs;
  private final Path unpacked;
  private final ImageStore target;
  private final Map<String, byte[]> content;
  private final byte[] archive;

  ImageArchiveTest(@TempDir Path folder) throws IOException {
    this.folder = folder;
    rootfs = RootFileSystems.create(folder.resolve("rootfs"));
    unpacked = folder.resolve("unpacked");
    target = new ImageStore(folder.resolve("target"), 0);
    Random random = new Random(5);
    ImageStore source = new ImageStore(folder.resolve("source"), 0);
    Map<String, byte[]> base = Checkpoints.random(random, 40);
    content = Checkpoints.changed(random, base, 2);
    Checkpoints.add(source, "base", null, base);
    Checkpoints.add(source, "child", "base", content);
    source.compact("child");
    source.trim();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    source.write("child", out, DESCRIPTION, rootfs);
    archive = out.toByteArray();
  }

  private ImageStore.Imported read(byte[] bytes) throws IOException {
    return target.read("copy", new ByteArrayInputStream(bytes), known -> false, unpacked);
  }

  private void assertRefused(byte[] bytes) {
    assertThatThrownBy(() -> read(bytes))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    assertNothingLeft();
  }

  private void assertNothingLeft() {
    assertThat(unpacked).doesNotExist();
    assertThat(target.exists("copy")).isFalse();
    assertThat(Disk.unchecked(() -> Checkpoints.files(folder.resolve("target")).toList()))
        .isEmpty();
    assertThat(target.sweep(Set.of())).isEmpty();
  }

  @Test
  void anImageArrivesAsItWas() throws IOException {
    ImageStore.Imported imported = read(archive);
    assertThat(imported.description()).isEqualTo(DESCRIPTION);
    assertThat(imported.rootfsFingerprint()).isEqualTo(ImageStore.fingerprint(rootfs));
    assertThat(RootFileSystems.describe(unpacked)).isEqualTo(RootFileSystems.describe(rootfs));
    assertThat(unpacked.resolve("usr/bin/python3"))
        .hasSameBinaryContentAs(rootfs.resolve("usr/bin/python"));
    Checkpoints.assertSame(target, "copy", content);
    ImageStore reopened = new ImageStore(folder.resolve("target"), 0);
    assertThat(reopened.sweep(Set.of("copy"))).isEmpty();
    Checkpoints.assertSame(reopened, "copy", content);
  }

  @Test
  void aKnownRootFileSystemIsNotUnpacked() throws IOException {
    String known = ImageStore.fingerprint(rootfs);
    target.read("copy", new ByteArrayInputStream(archive), known::equals, unpacked);
    assertThat(unpacked).doesNotExist();
    Checkpoints.assertSame(target, "copy", content);
  }

  @Test
  void aTruncatedArchiveIsRefused() {
    for (int cut = 1; cut < archive.length; cut += 1 + archive.length / 60) {
      assertRefused(Arrays.copyOf(archive, archive.length - cut));
    }
    assertRefused(new byte[0]);
  }

  @Test
  void aFlippedBitIsFound() {
    Random random = new Random(9);
    for (int i = 0; i < 60; i++) {
      byte[] flipped = archive.clone();
      flipped[i < 10 ? i : random.nextInt(archive.length)] ^= (byte) (1 << random.nextInt(8));
      if (!isHarmless(flipped)) {
        assertRefused(flipped);
      }
    }
  }

  /** A bit of the frame's header says nothing about its content; the content is then the same. */
  private boolean isHarmless(byte[] flipped) {
    return Arrays.mismatch(flipped, archive) == 4
        && Arrays.equals(TestArchive.decompress(flipped), TestArchive.decompress(archive));
  }

  @Test
  void whatFollowsAnArchiveIsRefused() {
    byte[] longer = Arrays.copyOf(archive, archive.length + 1);
    assertRefused(longer);
    byte[] twice = Arrays.copyOf(archive, archive.length * 2);
    System.arraycopy(archive, 0, twice, archive.length, archive.length);
    assertRefused(twice);
  }

  @Test
  void aStreamThatBreaksIsNotTheArchivesFault() {
    InputStream broken =
        new InputStream() {
          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            throw new IOException("connection reset");
          }

          @Override
          public int read() throws IOException {
            throw new IOException("connection reset");
          }
        };
    InputStream half =
        new SequenceInputStream(new ByteArrayInputStream(archive, 0, archive.length / 2), broken);
    assertThatThrownBy(() -> target.read("copy", half, known -> false, unpacked))
        .isInstanceOf(IOException.class)
        .hasMessage("connection reset");
    assertNothingLeft();
  }

  @Test
  void whatIsThereIsNotTouched() throws IOException {
    Files.createDirectory(unpacked);
    assertThatThrownBy(() -> read(archive))
        .isInstanceOfSatisfying(
            AtollException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
    assertThat(unpacked).isDirectory();
    Files.delete(unpacked);
    assertNothingLeft();
  }

  @Test
  void theFingerprintFollowsEveryChange() throws IOException {
    String before = ImageStore.fingerprint(rootfs);
    assertThat(ImageStore.fingerprint(rootfs)).isEqualTo(before);
    Path file = rootfs.resolve("usr/bin/python");
    var time = Files.getLastModifiedTime(file);
    byte[] bytes = Files.readAllBytes(file);
    bytes[0] ^= 1;
    Files.write(file, bytes);
    Files.setLastModifiedTime(file, time);
    assertThat(ImageStore.fingerprint(rootfs)).isNotEqualTo(before);
  }
}
