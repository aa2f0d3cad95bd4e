package dev.atoll.engine.image;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import dev.atoll.engine.tree.TreeDirectory;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Reads one {@link Archive} into a store. Files are written aside while the stream comes in; the
 * image is added when the checksum at the end has proved all of it.
 */
final class ImageImport {
  private static final long SYNC_DEADLINE_SECONDS = 600;

  private final ImageStore store;
  private final Disk disk;
  private final Path aside;
  private final Path checkpoint;
  private final Path standIn;
  private final Path rootfs;
  private final TreeTargets targets;

  /**
   * @param aside a path where nothing is, for the checkpoint
   */
  ImageImport(ImageStore store, Disk disk, TreeTargets targets, Path aside, Path rootfs) {
    this.store = store;
    this.disk = disk;
    this.aside = aside;
    this.checkpoint = aside.resolve("checkpoint");
    this.standIn = aside.resolve("stand-in");
    this.rootfs = rootfs;
    this.targets = targets;
  }

  ImageStore.Imported run(
      String id, InputStream in, Predicate<String> rootfsKnown, Predicate<String> trusted)
      throws IOException {
    if (store.exists(id) || isThere(aside) || isThere(rootfs)) {
      throw new AtollException(
          ErrorCode.CONFLICT,
          "image %s is there, or being made".formatted(id),
          "choose another id");
    }
    boolean done = false;
    try {
      disk.makeFolder(aside);
      ImageStore.Imported imported = unpack(in, rootfsKnown, trusted);
      store.add(id, null);
      done = true;
      return imported;
    } catch (ZstdIOException e) {
      throw Archive.invalid(String.valueOf(e.getMessage()));
    } catch (EOFException e) {
      throw Archive.invalid("it ends too early");
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } finally {
      if (!done) {
        disk.deleteTree(rootfs);
        disk.deleteTree(aside);
      }
    }
  }

  private static boolean isThere(Path path) {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
  }

  private ImageStore.Imported unpack(
      InputStream source, Predicate<String> rootfsKnown, Predicate<String> trusted)
      throws IOException {
    MessageDigest sha = Archive.sha256();
    try (ZstdInputStreamNoFinalizer zstd =
        new ZstdInputStreamNoFinalizer(new Uncloseable(source))) {
      DigestInputStream digest = new DigestInputStream(new BufferedInputStream(zstd, 1 << 16), sha);
      DataInputStream in = new DataInputStream(digest);
      if (in.readLong() != Archive.MAGIC) {
        throw Archive.invalid("it begins with something else");
      }
      int version = in.readInt();
      boolean signed = version == Archive.VERSION;
      if (!signed && version != Archive.UNSIGNED_VERSION) {
        throw Archive.invalid("version %d, this is %d".formatted(version, Archive.VERSION));
      }
      byte[] description = readDescription(in);
      String fingerprint = Archive.readText(in);
      if (!fingerprint.matches("[0-9a-f]{64}")) {
        throw Archive.invalid("it names no root file system");
      }
      readFiles(in, checkpoint);
      boolean standsIn = signed && readFiles(in, standIn) > 0;
      boolean known = rootfsKnown.test(fingerprint);
      if (known) {
        proveTree(in, fingerprint);
      } else {
        unpackTree(in);
      }
      digest.on(false);
      byte[] sum = sha.digest();
      if (!Arrays.equals(sum, in.readNBytes(Archive.DIGEST_BYTES))) {
        throw Archive.invalid("its checksum is wrong");
      }
      String signer = signed ? readSigner(in, sum) : "";
      if (in.read() != -1) {
        throw Archive.invalid("something follows its end");
      }
      if (!known) {
        checkTree(fingerprint);
      }
      boolean whole = signed && trusted.test(signer);
      if (!whole && standsIn) {
        disk.deleteTree(checkpoint);
        disk.rename(standIn, checkpoint);
      }
      return new ImageStore.Imported(description, fingerprint, whole, standsIn);
    }
  }

  /** Who has written this; whoever has not signed it is nobody. */
  private static String readSigner(DataInputStream in, byte[] sum) throws IOException {
    String key = Archive.readText(in);
    byte[] signature = in.readNBytes(ExportKey.SIGNATURE_BYTES);
    if (!ExportKey.verify(key, sum, signature)) {
      throw Archive.invalid("its signature is wrong");
    }
    return key;
  }

  private static byte[] readDescription(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > Archive.MOST_DESCRIPTION) {
      throw Archive.invalid("a description of " + length + " bytes");
    }
    byte[] description = new byte[length];
    in.readFully(description);
    return description;
  }

  private int readFiles(DataInputStream in, Path folder) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > Archive.MOST_CHECKPOINT_FILES) {
      throw Archive.invalid(count + " checkpoint files");
    }
    Files.createDirectory(folder);
    Room room = Room.on(folder);
    for (int i = 0; i < count; i++) {
      Path file = folder.resolve(Units.checkName(Archive.readText(in)));
      if (isThere(file)) {
        throw Archive.invalid(file.getFileName() + " is there twice");
      }
      long size = in.readLong();
      room.take(size);
      try (OutputStream out =
          Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        Archive.copy(in, out, size);
      }
      disk.sync(file);
    }
    return count;
  }

  /**
   * What is here already is not unpacked, but whoever names a tree must have it: else naming
   * another project's would be enough to get it.
   */
  private static void proveTree(DataInputStream in, String fingerprint) throws IOException {
    Fingerprint proof = new Fingerprint();
    readTree(in, Room.toSkip(), entry -> proof.add(entry, in));
    if (!proof.finish().equals(fingerprint)) {
      throw Archive.invalid("its root file system is not the one it names");
    }
  }

  private void unpackTree(DataInputStream in) throws IOException {
    TreeDirectory.makeRoot(rootfs);
    try (TreeTarget tree = targets.open(rootfs)) {
      readTree(in, Room.on(checkpoint), entry -> tree.add(entry, in));
      tree.finish();
    }
  }

  /** Takes one entry, and reads its content. */
  @FunctionalInterface
  private interface EntryReader {
    void read(TreeEntry entry) throws IOException;
  }

  private static void readTree(DataInputStream in, Room room, EntryReader reader)
      throws IOException {
    int kind = in.readByte();
    for (int count = 0; kind != Archive.END_OF_TREE; count++) {
      if (count == Archive.MOST_TREE_ENTRIES) {
        throw Archive.invalid("more than " + Archive.MOST_TREE_ENTRIES + " files");
      }
      TreeEntry entry = TreeEntry.read(kind, in);
      room.take(entry.size());
      reader.read(entry);
      kind = in.readByte();
    }
  }

  /** What is on disk must be what the archive says it is, because others will go by that. */
  private void checkTree(String fingerprint) throws IOException {
    if (!Fingerprint.of(rootfs).equals(fingerprint)) {
      throw Archive.invalid("its root file system is not the one it names");
    }
    // Safe: a fixed program and one absolute path, no shell. One flush of the file system is far
    // faster than one for each of many thousand files.
    Process sync =
        new ProcessBuilder("sync", "-f", rootfs.toAbsolutePath().toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (!sync.waitFor(SYNC_DEADLINE_SECONDS, TimeUnit.SECONDS) || sync.exitValue() != 0) {
        throw new IOException("the root file system could not be flushed to disk");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the root file system was flushed to disk", e);
    } finally {
      sync.destroyForcibly();
    }
  }
}
