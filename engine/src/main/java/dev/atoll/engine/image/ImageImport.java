package dev.atoll.engine.image;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
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
  private final Path rootfs;
  private final TreeUnpack tree;

  /**
   * @param aside a path where nothing is, for the checkpoint
   */
  ImageImport(ImageStore store, Disk disk, Path aside, Path rootfs) {
    this.store = store;
    this.disk = disk;
    this.aside = aside;
    this.checkpoint = aside.resolve("checkpoint");
    this.rootfs = rootfs;
    this.tree = new TreeUnpack(rootfs);
  }

  ImageStore.Imported run(String id, InputStream in, Predicate<String> rootfsKnown)
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
      ImageStore.Imported imported = unpack(in, rootfsKnown);
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
        tree.open();
        disk.deleteTree(rootfs);
        disk.deleteTree(aside);
      }
    }
  }

  private static boolean isThere(Path path) {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
  }

  private ImageStore.Imported unpack(InputStream source, Predicate<String> rootfsKnown)
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
      if (version != Archive.VERSION) {
        throw Archive.invalid("version %d, this is %d".formatted(version, Archive.VERSION));
      }
      byte[] description = readDescription(in);
      String fingerprint = Archive.readText(in);
      if (!fingerprint.matches("[0-9a-f]{64}")) {
        throw Archive.invalid("it names no root file system");
      }
      readCheckpoint(in);
      boolean known = rootfsKnown.test(fingerprint);
      readTree(in, known);
      digest.on(false);
      if (!Arrays.equals(sha.digest(), in.readNBytes(Archive.DIGEST_BYTES)) || in.read() != -1) {
        throw Archive.invalid("its checksum is wrong");
      }
      if (!known) {
        checkTree(fingerprint);
      }
      return new ImageStore.Imported(description, fingerprint);
    }
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

  private void readCheckpoint(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > Archive.MOST_CHECKPOINT_FILES) {
      throw Archive.invalid(count + " checkpoint files");
    }
    Files.createDirectory(checkpoint);
    Room room = Room.on(checkpoint);
    for (int i = 0; i < count; i++) {
      Path file = checkpoint.resolve(Units.checkName(Archive.readText(in)));
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
  }

  private void readTree(DataInputStream in, boolean known) throws IOException {
    Room room = known ? Room.toSkip() : Room.on(checkpoint);
    int kind = in.readByte();
    for (int count = 0; kind != Archive.END_OF_TREE; count++) {
      if (count == Archive.MOST_TREE_ENTRIES) {
        throw Archive.invalid("more than " + Archive.MOST_TREE_ENTRIES + " files");
      }
      TreeEntry entry = TreeEntry.read(kind, in);
      room.take(entry.size());
      if (known) {
        // Read, not skipped: the checksum covers it.
        Archive.copy(in, OutputStream.nullOutputStream(), entry.size());
      } else {
        tree.add(entry, in);
      }
      kind = in.readByte();
    }
    if (!known) {
      tree.finish();
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
