package dev.atoll.engine.image;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes {@link Archive}s. */
final class ArchiveWriter {
  private static final int BUFFER = 1 << 16;

  private final DataOutputStream out;

  private ArchiveWriter(DataOutputStream out) {
    this.out = out;
  }

  /**
   * @param files stand for the checkpoint where it is not trusted; null for none
   */
  static void write(
      OutputStream target,
      byte[] description,
      Path checkpoint,
      @Nullable Path files,
      Path rootfs,
      ExportKey key)
      throws IOException {
    if (description.length > Archive.MOST_DESCRIPTION) {
      throw new IllegalArgumentException("description of " + description.length + " bytes");
    }
    String fingerprint = Fingerprint.of(rootfs);
    try (ZstdOutputStreamNoFinalizer zstd =
        new ZstdOutputStreamNoFinalizer(new UncloseableOutput(target))) {
      zstd.setChecksum(true);
      DigestOutputStream digest = new DigestOutputStream(zstd, Archive.sha256());
      DataOutputStream data = new DataOutputStream(new BufferedOutputStream(digest, BUFFER));
      new ArchiveWriter(data).writeBody(description, fingerprint, checkpoint, files, rootfs);
      data.flush();
      byte[] sum = digest.getMessageDigest().digest();
      digest.on(false);
      data.write(sum);
      Archive.writeText(data, key.publicKey());
      data.write(key.sign(sum));
      data.flush();
    }
  }

  private void writeBody(
      byte[] description, String fingerprint, Path checkpoint, @Nullable Path standIn, Path rootfs)
      throws IOException {
    out.writeLong(Archive.MAGIC);
    out.writeInt(Archive.VERSION);
    out.writeInt(description.length);
    out.write(description);
    Archive.writeText(out, fingerprint);
    files(Disk.list(checkpoint));
    files(standIn == null ? List.of() : Disk.list(standIn));
    TreeWalk.of(rootfs, this::entry);
    out.writeByte(Archive.END_OF_TREE);
  }

  private void files(List<Path> files) throws IOException {
    out.writeInt(files.size());
    for (Path file : files) {
      long size = Files.size(file);
      Archive.writeText(out, file.getFileName().toString());
      out.writeLong(size);
      content(() -> Files.newInputStream(file), size);
    }
  }

  private void entry(TreeEntry entry, TreeWalk.Content content) throws IOException {
    entry.write(out);
    if (entry.kind() == TreeEntry.Kind.FILE) {
      content(content, entry.size());
    }
  }

  private void content(TreeWalk.Content content, long size) throws IOException {
    try (InputStream in = content.open()) {
      Archive.copy(in, out, size);
    }
  }
}
