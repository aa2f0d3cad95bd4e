package dev.atoll.sdk;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One entry of a tar archive in the ustar format with pax extensions (POSIX.1-2001).
 *
 * @param name path with {@code /}, without a leading one
 * @param type {@link #FILE}, {@link #DIRECTORY}, {@link #SYMLINK} or what else an archive holds
 * @param link where a link points; empty for others
 * @param modified seconds since 1970
 */
record TarHeader(String name, char type, long size, int mode, long modified, String link) {
  static final int BLOCK = 512;
  static final char FILE = '0';
  static final char HARD_LINK = '1';
  static final char SYMLINK = '2';
  static final char DIRECTORY = '5';
  static final char PAX = 'x';
  static final char PAX_GLOBAL = 'g';
  static final char GNU_LONG_NAME = 'L';
  static final char GNU_LONG_LINK = 'K';

  private static final int CHECKSUM = 148;
  private static final long MAX_OCTAL = 077777777777L;

  /** The header's blocks; a pax header goes first where ustar's fields are too small. */
  byte[] encode() {
    byte[] nameBytes = utf8(name);
    byte[] linkBytes = utf8(link);
    ByteArrayOutputStream pax = new ByteArrayOutputStream();
    if (nameBytes.length > 100) {
      record(pax, "path", nameBytes);
    }
    if (linkBytes.length > 100) {
      record(pax, "linkpath", linkBytes);
    }
    if (size > MAX_OCTAL) {
      record(pax, "size", utf8(Long.toString(size)));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (pax.size() > 0) {
      out.writeBytes(block(utf8("pax"), PAX, pax.size(), 0644, modified, new byte[0]));
      out.writeBytes(pax.toByteArray());
      out.writeBytes(new byte[padding(pax.size())]);
    }
    out.writeBytes(block(nameBytes, type, size, mode, modified, linkBytes));
    return out.toByteArray();
  }

  /** Reads a block. Names are as they stand there: not checked, perhaps hostile. */
  static TarHeader decode(byte[] block) throws IOException {
    if (octal(block, CHECKSUM, 8) != checksum(block)) {
      throw new IOException("not a tar archive: the checksum of a header is wrong");
    }
    String name = text(block, 0, 100);
    boolean ustar = text(block, 257, 5).equals("ustar");
    String prefix = ustar && block[263] == '0' ? text(block, 345, 155) : "";
    char type = block[156] == 0 ? FILE : (char) (block[156] & 0xff);
    long size = number(block, 124, 12);
    if (size < 0) {
      throw new IOException("not a tar archive: the size of an entry is negative");
    }
    return new TarHeader(
        prefix.isEmpty() ? name : prefix + "/" + name,
        type,
        size,
        (int) octal(block, 100, 8) & 0777,
        number(block, 136, 12),
        text(block, 157, 100));
  }

  static boolean isEnd(byte[] block) {
    return Arrays.equals(block, new byte[BLOCK]);
  }

  /** How many zero bytes follow content of that size. */
  static int padding(long size) {
    return (int) ((BLOCK - size % BLOCK) % BLOCK);
  }

  private static byte[] block(
      byte[] name, char type, long size, int mode, long modified, byte[] link) {
    byte[] block = new byte[BLOCK];
    put(block, 0, 100, name);
    putOctal(block, 100, 8, mode);
    putOctal(block, 108, 8, 0);
    putOctal(block, 116, 8, 0);
    putOctal(block, 124, 12, Math.min(size, MAX_OCTAL));
    putOctal(block, 136, 12, Math.max(0, Math.min(modified, MAX_OCTAL)));
    block[156] = (byte) type;
    put(block, 157, 100, link);
    put(block, 257, 8, utf8("ustar\00000"));
    putOctal(block, CHECKSUM, 7, checksum(block));
    block[CHECKSUM + 7] = ' ';
    return block;
  }

  private static int checksum(byte[] block) {
    int sum = 0;
    for (int i = 0; i < BLOCK; i++) {
      boolean own = i >= CHECKSUM && i < CHECKSUM + 8;
      sum += own ? ' ' : block[i] & 0xff;
    }
    return sum;
  }

  private static void put(byte[] block, int at, int length, byte[] value) {
    System.arraycopy(value, 0, block, at, Math.min(length, value.length));
  }

  private static void putOctal(byte[] block, int at, int length, long value) {
    String digits = Long.toOctalString(value);
    put(block, at, length, utf8("0".repeat(length - 1 - digits.length()) + digits));
  }

  /** The length of a pax record counts its own digits. */
  private static void record(ByteArrayOutputStream out, String key, byte[] value) {
    int rest = key.length() + value.length + 3;
    int length = rest + 1;
    while (rest + Integer.toString(length).length() != length) {
      length = rest + Integer.toString(length).length();
    }
    out.writeBytes(utf8(length + " " + key + "="));
    out.writeBytes(value);
    out.write('\n');
  }

  private static String text(byte[] block, int at, int length) {
    int end = at;
    while (end < at + length && block[end] != 0) {
      end++;
    }
    return new String(block, at, end - at, StandardCharsets.UTF_8);
  }

  /** Octal, or GNU's base 256 when the first bit is set. */
  private static long number(byte[] block, int at, int length) throws IOException {
    if ((block[at] & 0x80) == 0) {
      return octal(block, at, length);
    }
    long value = 0;
    for (int i = at + length - 8; i < at + length; i++) {
      value = value << 8 | (block[i] & 0xff);
    }
    return value;
  }

  private static long octal(byte[] block, int at, int length) throws IOException {
    String digits = text(block, at, length).strip();
    if (!digits.matches("[0-7]*")) {
      throw new IOException("not a tar archive: a number is not octal");
    }
    return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
