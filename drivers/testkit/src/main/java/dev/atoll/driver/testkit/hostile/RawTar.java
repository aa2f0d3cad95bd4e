package dev.atoll.driver.testkit.hostile;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;

/** Tar archives byte by byte, as nobody who means well writes them. */
public final class RawTar {
  private static final int BLOCK = 512;
  private static final int OWNER = 12345;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  public RawTar directory(String name, int mode) {
    return header(name, '5', octal(0), "", mode, true);
  }

  public RawTar file(String name, String content) {
    return file(name, content, 0644);
  }

  public RawTar file(String name, String content, int mode) {
    byte[] text = content.getBytes(StandardCharsets.ISO_8859_1);
    return header(name, '0', octal(text.length), "", mode, true).data(text);
  }

  public RawTar link(String name, String target) {
    return header(name, '2', octal(0), target, 0777, true);
  }

  public RawTar hardLink(String name, String target) {
    return header(name, '1', octal(0), target, 0644, true);
  }

  /** A character device, a block device, a pipe: '3', '4', '6'. */
  public RawTar special(String name, char type) {
    return header(name, type, octal(0), "", 0666, true);
  }

  /** An extended header with records as they are. */
  public RawTar extended(char type, String records) {
    byte[] text = records.getBytes(StandardCharsets.UTF_8);
    return header("PaxHeaders/x", type, octal(text.length), "", 0644, true).data(text);
  }

  /** One record with the length that it must have. */
  public static String record(String key, String value) {
    String rest = " " + key + "=" + value + "\n";
    int length = rest.getBytes(StandardCharsets.UTF_8).length;
    int digits = 1;
    while (Integer.toString(length + digits).length() != digits) {
      digits++;
    }
    return (length + digits) + rest;
  }

  public RawTar header(
      String name, char type, byte[] size, String link, int mode, boolean rightChecksum) {
    byte[] header = new byte[BLOCK];
    put(header, 0, 100, name);
    put(header, 100, 8, "%07o".formatted(mode));
    put(header, 108, 8, "%07o".formatted(OWNER));
    put(header, 116, 8, "%07o".formatted(OWNER));
    System.arraycopy(size, 0, header, 124, Math.min(12, size.length));
    put(header, 136, 12, "%011o".formatted(1_000_000_000L));
    Arrays.fill(header, 148, 156, (byte) ' ');
    header[156] = (byte) type;
    put(header, 157, 100, link);
    put(header, 257, 8, "ustar\00000");
    int sum = 0;
    for (byte b : header) {
      sum += b & 0xff;
    }
    put(header, 148, 8, "%06o\0 ".formatted(rightChecksum ? sum : sum + 1));
    bytes.writeBytes(header);
    return this;
  }

  public RawTar data(byte[] data) {
    bytes.writeBytes(data);
    bytes.writeBytes(new byte[(BLOCK - data.length % BLOCK) % BLOCK]);
    return this;
  }

  public static byte[] octal(long number) {
    return "%011o".formatted(number).getBytes(StandardCharsets.US_ASCII);
  }

  private static void put(byte[] header, int offset, int length, String text) {
    byte[] field = text.getBytes(StandardCharsets.ISO_8859_1);
    System.arraycopy(field, 0, header, offset, Math.min(length, field.length));
  }

  public byte[] archive() {
    bytes.writeBytes(new byte[2 * BLOCK]);
    return bytes.toByteArray();
  }

  /** Without the two blocks at the end. */
  public byte[] cutOff(int less) {
    byte[] all = bytes.toByteArray();
    return Arrays.copyOf(all, all.length - less);
  }

  public static byte[] gzip(byte[] plain) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  public static byte[] zstd(byte[] plain) {
    return Zstd.compress(plain);
  }
}
