package dev.atoll.engine.image;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;

/** Archives as somebody with bad intentions writes them: well-formed to the last, and lying. */
final class TestArchive {
  /** Writes a part of an archive. */
  @FunctionalInterface
  interface Part {
    void write(DataOutputStream out) throws IOException;
  }

  private TestArchive() {}

  /** An archive without a checkpoint, and with this root file system. */
  static byte[] withTree(Part tree) {
    return of(
        out -> {
          header(out, Archive.UNSIGNED_VERSION, 0);
          out.writeInt(0);
          new TreeEntry(TreeEntry.Kind.DIRECTORY, "", 0755, 0, 0, Instant.EPOCH, 0, "").write(out);
          tree.write(out);
          out.writeByte(Archive.END_OF_TREE);
        });
  }

  static void header(DataOutputStream out, int version, int description) throws IOException {
    out.writeLong(Archive.MAGIC);
    out.writeInt(version);
    out.writeInt(description);
    out.writeUTF("0".repeat(64));
  }

  /** Adds the right checksum, and compresses. */
  static byte[] of(Part body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      body.write(out);
      out.write(Archive.sha256().digest(bytes.toByteArray()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Zstd.compress(bytes.toByteArray());
  }

  static void entry(DataOutputStream out, int kind, String path, long size, String target)
      throws IOException {
    out.writeByte(kind);
    out.writeUTF(path);
    out.writeShort(0644);
    out.writeInt(0);
    out.writeInt(0);
    out.writeLong(0);
    out.writeInt(0);
    out.writeLong(size);
    out.writeUTF(target);
  }

  static byte[] decompress(byte[] archive) {
    try (ZstdInputStream in = new ZstdInputStream(new ByteArrayInputStream(archive))) {
      return in.readAllBytes();
    } catch (IOException e) {
      return new byte[0];
    }
  }
}
