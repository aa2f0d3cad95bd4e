package dev.atoll.engine.image;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UTFDataFormatException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The form of an exported image, inside one zstd frame, everything big-endian:
 *
 * <pre>
 * magic (8 bytes), version (4)
 * length (4), description
 * fingerprint of the root file system (text)
 * number of checkpoint files (4); for each: name (text), size (8), content
 * the same for the files that stand for the checkpoint where it is not trusted; there may be none
 * entries of the root file system, see {@link TreeEntry}; each regular file with its content
 * -1 (1 byte), then a SHA-256 of everything before it
 * public key of the server that wrote it (text), its signature of that SHA-256 (64 bytes)
 * </pre>
 *
 * Version 1 has neither the files that stand for the checkpoint nor a signature.
 *
 * <p>Text is a length of two bytes and UTF-8.
 */
final class Archive {
  static final long MAGIC = 0x41746f6c6c496d67L; // AtollImg
  static final int VERSION = 2;
  static final int UNSIGNED_VERSION = 1;
  static final int END_OF_TREE = -1;
  static final int MOST_DESCRIPTION = 1 << 20;
  static final int MOST_CHECKPOINT_FILES = 64;
  static final int MOST_TREE_ENTRIES = 5_000_000;
  static final int DIGEST_BYTES = 32;

  private static final int BUFFER = 1 << 16;

  private Archive() {}

  static AtollException invalid(String why) {
    return new AtollException(
        ErrorCode.INVALID_ARGUMENT,
        "this is no intact image archive: " + why,
        "export the image again, with a version of Atoll that is not newer than this one");
  }

  static void writeText(DataOutputStream out, String text) throws IOException {
    out.writeUTF(text);
  }

  static String readText(DataInputStream in) throws IOException {
    try {
      return in.readUTF();
    } catch (UTFDataFormatException e) {
      throw invalid("text that is not UTF-8");
    }
  }

  /** Copies exactly so many bytes; the input must have them. */
  static void copy(InputStream in, OutputStream out, long length) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long left = length;
    while (left > 0) {
      int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (read < 0) {
        throw new EOFException(left + " bytes of " + length + " are missing");
      }
      out.write(buffer, 0, read);
      left -= read;
    }
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
