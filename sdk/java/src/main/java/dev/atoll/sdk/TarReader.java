package dev.atoll.sdk;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a tar archive entry by entry, with the names that pax and GNU extensions give. */
final class TarReader {
  private static final int MAX_EXTENSION = 1 << 20;

  private final InputStream in;
  private long left;
  private int padding;

  TarReader(InputStream in) {
    this.in = in;
  }

  /** The next entry, or null at the end; what was not read of the one before is skipped. */
  @Nullable TarHeader next() throws IOException {
    Map<String, String> extensions = new HashMap<>();
    while (true) {
      in.skipNBytes(left + padding);
      left = 0;
      padding = 0;
      byte[] block = in.readNBytes(TarHeader.BLOCK);
      if (block.length == 0 || (block.length == TarHeader.BLOCK && TarHeader.isEnd(block))) {
        return null;
      }
      if (block.length < TarHeader.BLOCK) {
        throw new EOFException("the tar archive stops in the middle of a header");
      }
      TarHeader header = TarHeader.decode(block);
      switch (header.type()) {
        case TarHeader.PAX -> records(extension(header), extensions);
        case TarHeader.PAX_GLOBAL -> extension(header);
        case TarHeader.GNU_LONG_NAME -> extensions.put("path", terminated(extension(header)));
        case TarHeader.GNU_LONG_LINK -> extensions.put("linkpath", terminated(extension(header)));
        default -> {
          return entry(header, extensions);
        }
      }
    }
  }

  /** The content of the current entry. */
  InputStream content() {
    return new Content();
  }

  private TarHeader entry(TarHeader header, Map<String, String> extensions) throws IOException {
    String size = extensions.get("size");
    long bytes = size == null ? header.size() : parse(size);
    TarHeader whole =
        new TarHeader(
            extensions.getOrDefault("path", header.name()),
            header.type(),
            bytes,
            header.mode(),
            header.modified(),
            extensions.getOrDefault("linkpath", header.link()));
    left = bytes;
    padding = TarHeader.padding(bytes);
    return whole;
  }

  private byte[] extension(TarHeader header) throws IOException {
    if (header.size() > MAX_EXTENSION) {
      throw new IOException(
          "a tar header of " + header.size() + " bytes, at most " + MAX_EXTENSION);
    }
    byte[] bytes = in.readNBytes((int) header.size());
    if (bytes.length < header.size()) {
      throw new EOFException("the tar archive stops in the middle of a header");
    }
    in.skipNBytes(TarHeader.padding(header.size()));
    return bytes;
  }

  private static void records(byte[] bytes, Map<String, String> into) throws IOException {
    int position = 0;
    while (position < bytes.length) {
      int space = position;
      while (space < bytes.length && bytes[space] != ' ') {
        space++;
      }
      long length = parse(new String(bytes, position, space - position, StandardCharsets.US_ASCII));
      if (length <= space - position + 1 || position + length > bytes.length) {
        throw new IOException("a pax record of the tar archive has a wrong length");
      }
      String record =
          new String(
              bytes, space + 1, (int) length - (space - position) - 2, StandardCharsets.UTF_8);
      int equals = record.indexOf('=');
      if (equals > 0) {
        into.put(record.substring(0, equals), record.substring(equals + 1));
      }
      position += (int) length;
    }
  }

  private static long parse(String digits) throws IOException {
    if (!digits.matches("[0-9]{1,18}")) {
      throw new IOException("a number of the tar archive is not one");
    }
    return Long.parseLong(digits);
  }

  private static String terminated(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    int end = text.indexOf(0);
    return end < 0 ? text : text.substring(0, end);
  }

  private final class Content extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      if (left == 0) {
        return -1;
      }
      int count = in.read(into, from, (int) Math.min(length, left));
      if (count < 0) {
        throw new EOFException("the tar archive stops in the middle of a file");
      }
      left -= count;
      return count;
    }
  }
}
