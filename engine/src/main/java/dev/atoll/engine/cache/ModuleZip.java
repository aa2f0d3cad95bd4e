package dev.atoll.engine.cache;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * The digest by which Go knows a module: that of the names and digests of its files, whatever their
 * packing.
 */
final class ModuleZip {
  /** Twice what Go takes of a module. */
  private static final long MAX_UNPACKED = 1L << 30;

  /** The table of an archive is read as a whole. */
  private static final long MAX_TABLE = 16L << 20;

  /** What an archive ends with: where its table is, and a comment. */
  private static final int END = 22;

  private static final int MAX_COMMENT = 64 << 10;
  private static final int END_SIGN = 0x06054b50;
  private static final int TABLE_SIZE = 12;
  private static final int BLOCK = 64 << 10;

  /** One at a time: tables take memory. */
  private static final ReentrantLock READING = new ReentrantLock();

  private static final Duration PATIENCE = Duration.ofSeconds(50);

  private ModuleZip() {}

  /** Of an archive, in hexadecimal digits. */
  static String digest(Path archive) throws IOException {
    lock();
    try {
      checkTable(archive);
      try (ZipFile zip = new ZipFile(archive.toFile())) {
        return digest(zip);
      }
    } catch (ZipException e) {
      throw new CorruptException("what the registry sent is no archive: " + e.getMessage());
    } finally {
      READING.unlock();
    }
  }

  private static void lock() throws IOException {
    try {
      if (!READING.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IOException("other modules have been checked for too long");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /**
   * Of what consists of one file.
   *
   * @param digest of its content
   */
  static String digest(String name, byte[] digest) {
    return HexFormat.of().formatHex(sha256().digest(line(digest, name)));
  }

  /**
   * Before anything believes the size that the archive says. A comment may hold what looks like the
   * end: whichever is taken for it must be small.
   */
  private static void checkTable(Path archive) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(archive.toFile(), "r")) {
      int length = (int) Math.min(file.length(), END + MAX_COMMENT);
      byte[] tail = new byte[length];
      file.seek(file.length() - length);
      file.readFully(tail);
      ByteBuffer bytes = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN);
      boolean found = false;
      for (int at = length - END; at >= 0; at--) {
        if (bytes.getInt(at) == END_SIGN) {
          found = true;
          if (Integer.toUnsignedLong(bytes.getInt(at + TABLE_SIZE)) > MAX_TABLE) {
            throw new CorruptException("a module has too many files");
          }
        }
      }
      if (!found) {
        throw new CorruptException("what the registry sent is no archive");
      }
    }
  }

  private static String digest(ZipFile zip) throws IOException {
    MessageDigest whole = sha256();
    List<String> names =
        zip.stream().map(ZipEntry::getName).sorted(ModuleZip::compareBytes).toList();
    long left = MAX_UNPACKED;
    byte[] block = new byte[BLOCK];
    for (String name : names) {
      if (name.indexOf('\n') >= 0) {
        // Two archives could have one digest.
        throw new CorruptException("a module has a file with a line break in its name");
      }
      MessageDigest one = sha256();
      try (InputStream in = zip.getInputStream(zip.getEntry(name))) {
        for (int read = in.read(block); read >= 0; read = in.read(block)) {
          left -= read;
          if (left < 0) {
            throw new CorruptException("a module is larger than " + MAX_UNPACKED + " bytes");
          }
          one.update(block, 0, read);
        }
      }
      whole.update(line(one.digest(), name));
    }
    return HexFormat.of().formatHex(whole.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static int compareBytes(String one, String other) {
    return Arrays.compareUnsigned(
        one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] line(byte[] digest, String name) {
    return (HexFormat.of().formatHex(digest) + "  " + name + "\n").getBytes(StandardCharsets.UTF_8);
  }
}
