package dev.atoll.engine.image;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.util.List;

/** Writes {@link Archive}s. */
final class ArchiveWriter {
  private static final int BUFFER = 1 << 16;

  private final DataOutputStream out;

  private ArchiveWriter(DataOutputStream out) {
    this.out = out;
  }

  static void write(OutputStream target, byte[] description, Path checkpoint, Path rootfs)
      throws IOException {
    if (description.length > Archive.MOST_DESCRIPTION) {
      throw new IllegalArgumentException("description of " + description.length + " bytes");
    }
    String fingerprint = Fingerprint.of(rootfs);
    OutputStream uncloseable =
        new FilterOutputStream(target) {
          @Override
          public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
          }

          @Override
          public void close() throws IOException {
            flush();
          }
        };
    try (ZstdOutputStreamNoFinalizer zstd = new ZstdOutputStreamNoFinalizer(uncloseable)) {
      zstd.setChecksum(true);
      DigestOutputStream digest = new DigestOutputStream(zstd, Archive.sha256());
      DataOutputStream data = new DataOutputStream(new BufferedOutputStream(digest, BUFFER));
      new ArchiveWriter(data).writeBody(description, fingerprint, checkpoint, rootfs);
      data.flush();
      zstd.write(digest.getMessageDigest().digest());
    }
  }

  private void writeBody(byte[] description, String fingerprint, Path checkpoint, Path rootfs)
      throws IOException {
    out.writeLong(Archive.MAGIC);
    out.writeInt(Archive.VERSION);
    out.writeInt(description.length);
    out.write(description);
    Archive.writeText(out, fingerprint);
    List<Path> files = Disk.list(checkpoint);
    out.writeInt(files.size());
    for (Path file : files) {
      long size = Files.size(file);
      Archive.writeText(out, file.getFileName().toString());
      out.writeLong(size);
      content(file, size);
    }
    TreeWalk.of(rootfs, this::entry);
    out.writeByte(Archive.END_OF_TREE);
  }

  private void entry(TreeEntry entry, Path file) throws IOException {
    entry.write(out);
    if (entry.kind() == TreeEntry.Kind.FILE) {
      content(file, entry.size());
    }
  }

  private void content(Path file, long size) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      Archive.copy(in, out, size);
    }
  }
}
