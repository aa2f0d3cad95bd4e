package dev.atoll.engine.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageArchiveTest {
  private static final byte[] DESCRIPTION = "{\"cpus\":2}".getBytes(UTF_8);

  private static final byte[] FILES = "files".getBytes(UTF_8);

  private final Path folder;
  private final Path rootfs;
  private final Path unpacked;
  private final ImageStore target;
  private final Map<String, byte[]> content;
  private final byte[] archive;
  private final ExportKey key;

  ImageArchiveTest(@TempDir Path folder) throws IOException {
    this.folder = folder;
    rootfs = RootFileSystems.create(folder.resolve("rootfs"));
    unpacked = folder.resolve("unpacked");
    target = new ImageStore(folder.resolve("target"), 0);
    key = new ExportKey(Files.createDirectory(folder.resolve("keys")));
    Path files = Files.createDirectory(folder.resolve("files"));
    Files.write(files.resolve("changes"), FILES);
    Random random = new Random(5);
    ImageStore source = new ImageStore(folder.resolve("source"), 0);
    Map<String, byte[]> base = Checkpoints.random(random, 40);
    content = Checkpoints.changed(random, base, 2);
    Checkpoints.add(source, "base", null, base);
    Checkpoints.add(source, "child", "base", content);
    source.compact("child");
    source.trim();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    source.write("child", out, DESCRIPTION, files, rootfs, key);
    archive = out.toByteArray();
  }

  private ImageStore.Imported read(byte[] bytes) throws IOException {
    return target.read(
        "copy", new ByteArrayInputStream(bytes), known -> false, unpacked, signer -> true);
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
    target.read("copy", new ByteArrayInputStream(archive), known::equals, unpacked, signer -> true);
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
    assertThatThrownBy(() -> target.read("copy", half, known -> false, unpacked, signer -> true))
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

  private ImageStore.Imported readOf(byte[] bytes, Predicate<String> trusted) throws IOException {
    return target.read("copy", new ByteArrayInputStream(bytes), known -> false, unpacked, trusted);
  }

  @Test
  void ofAServerThatIsNotTrustedTheFilesAreTaken() throws IOException {
    List<String> signers = new ArrayList<>();
    ImageStore.Imported imported =
        readOf(
            archive,
            signer -> {
              signers.add(signer);
              return false;
            });
    assertThat(signers).containsExactly(key.publicKey());
    assertThat(imported.whole()).isFalse();
    assertThat(imported.standIn()).isTrue();
    Checkpoints.assertSame(target, "copy", Map.of("changes", FILES));
  }

  @Test
  void aTrustedServersImageIsTakenWhole() throws IOException {
    String known = key.publicKey();
    assertThat(readOf(archive, known::equals).whole()).isTrue();
    Checkpoints.assertSame(target, "copy", content);
    assertThat(folder.resolve("keys/snapshots.pub")).hasContent(known);
    assertThat(Files.getPosixFilePermissions(folder.resolve("keys/snapshots.key")))
        .containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    assertThat(new ExportKey(folder.resolve("keys")).publicKey()).isEqualTo(known);
  }

  /** Somebody else's signature under a name that is trusted, or a signature of something else. */
  @Test
  void aWrongSignatureIsRefused() throws IOException {
    byte[] plain = TestArchive.decompress(archive);
    int signature = plain.length - ExportKey.SIGNATURE_BYTES;
    int sum = signature - 2 - key.publicKey().length() - Archive.DIGEST_BYTES;
    ExportKey other = new ExportKey(Files.createDirectory(folder.resolve("other")));
    byte[] digest = Arrays.copyOfRange(plain, sum, sum + Archive.DIGEST_BYTES);
    byte[] forged = plain.clone();
    System.arraycopy(other.sign(digest), 0, forged, signature, ExportKey.SIGNATURE_BYTES);
    assertRefused(Zstd.compress(forged));
    byte[] changed = plain.clone();
    changed[40] ^= 1;
    byte[] fresh = Archive.sha256().digest(Arrays.copyOf(changed, sum));
    System.arraycopy(fresh, 0, changed, sum, fresh.length);
    assertRefused(Zstd.compress(changed));
    byte[] named = plain.clone();
    System.arraycopy(
        other.publicKey().getBytes(UTF_8), 0, named, sum + 34, other.publicKey().length());
    assertRefused(Zstd.compress(named));
  }

  @Test
  void anArchiveOfAnOldVersionIsNobodys() throws IOException {
    Path root = Files.createDirectory(folder.resolve("plain"));
    Files.setLastModifiedTime(root, FileTime.fromMillis(0));
    byte[] old =
        TestArchive.of(
            out -> {
              out.writeLong(Archive.MAGIC);
              out.writeInt(Archive.UNSIGNED_VERSION);
              out.writeInt(0);
              out.writeUTF(ImageStore.fingerprint(root));
              out.writeInt(0);
              TreeWalk.of(root, (entry, file) -> entry.write(out));
              out.writeByte(Archive.END_OF_TREE);
            });
    ImageStore.Imported imported = readOf(old, signer -> true);
    assertThat(imported.whole()).isFalse();
    assertThat(imported.standIn()).isFalse();
  }

  /** Whoever knows the fingerprint of another's root file system does not get it for that. */
  @Test
  void aKnownRootFileSystemMustBeInTheArchive() {
    byte[] lying = TestArchive.withTree(out -> TestArchive.entry(out, 1, "a", 0, ""));
    assertThatThrownBy(
            () ->
                target.read(
                    "copy",
                    new ByteArrayInputStream(lying),
                    "0".repeat(64)::equals,
                    unpacked,
                    signer -> true))
        .isInstanceOf(AtollException.class)
        .hasMessageContaining("not the one it names");
    assertNothingLeft();
  }
}
