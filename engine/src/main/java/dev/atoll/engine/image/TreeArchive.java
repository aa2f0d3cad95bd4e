package dev.atoll.engine.image;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import dev.atoll.engine.tree.TreeDirectory;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * A tree of files as one stream. Inside one zstd frame, big-endian: magic (8 bytes), version (4),
 * the entries as {@link Archive} has them, -1 (1 byte), and a SHA-256 of everything before it.
 */
public final class TreeArchive {
  private static final long MAGIC = 0x41746f6c6c42616bL; // AtollBak
  private static final int VERSION = 1;
  private static final int BUFFER = 1 << 16;

  private TreeArchive() {}

  /** Writes a tree; the stream is left open. */
  public static void write(Path tree, OutputStream target) throws IOException {
    try (ZstdOutputStreamNoFinalizer zstd =
        new ZstdOutputStreamNoFinalizer(new UncloseableOutput(target))) {
      zstd.setChecksum(true);
      DigestOutputStream digest = new DigestOutputStream(zstd, Archive.sha256());
      DataOutputStream data = new DataOutputStream(new BufferedOutputStream(digest, BUFFER));
      data.writeLong(MAGIC);
      data.writeInt(VERSION);
      TreeWalk.of(tree, (entry, content) -> entry(data, entry, content));
      data.writeByte(Archive.END_OF_TREE);
      data.flush();
      byte[] sum = digest.getMessageDigest().digest();
      digest.on(false);
      data.write(sum);
      data.flush();
    }
  }

  private static void entry(DataOutputStream out, TreeEntry entry, TreeWalk.Content content)
      throws IOException {
    entry.write(out);
    if (entry.kind() == TreeEntry.Kind.FILE) {
      try (InputStream in = content.open()) {
        Archive.copy(in, out, entry.size());
      }
    }
  }

  /**
   * Makes the tree of such a stream where nothing is. Whatever it throws, part of the tree may be
   * there.
   *
   * @throws dev.atoll.model.AtollException if the stream is not, byte for byte, what {@link #write}
   *     has made
   */
  public static void read(InputStream source, Path target) throws IOException {
    MessageDigest sha = Archive.sha256();
    try (ZstdInputStreamNoFinalizer zstd =
        new ZstdInputStreamNoFinalizer(new Uncloseable(source))) {
      DigestInputStream digest = new DigestInputStream(new BufferedInputStream(zstd, BUFFER), sha);
      DataInputStream in = new DataInputStream(digest);
      if (in.readLong() != MAGIC || in.readInt() != VERSION) {
        throw Archive.invalid("it begins with something else, or is of another version");
      }
      unpack(in, target);
      digest.on(false);
      if (!Arrays.equals(sha.digest(), in.readNBytes(Archive.DIGEST_BYTES))) {
        throw Archive.invalid("its checksum is wrong");
      }
      if (in.read() != -1) {
        throw Archive.invalid("something follows its end");
      }
    } catch (ZstdIOException e) {
      throw Archive.invalid(String.valueOf(e.getMessage()));
    } catch (EOFException e) {
      throw Archive.invalid("it ends too early");
    }
  }

  private static void unpack(DataInputStream in, Path target) throws IOException {
    TreeDirectory.makeRoot(target);
    try (TreeUnpack tree = new TreeUnpack(target)) {
      for (int kind = in.readByte(); kind != Archive.END_OF_TREE; kind = in.readByte()) {
        tree.add(TreeEntry.read(kind, in), in);
      }
      tree.finish();
    }
  }
}
