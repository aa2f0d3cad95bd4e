package dev.atoll.sdk;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** A directory as a tar stream that is made while it is read: one open file, flat memory. */
final class TarSource {
  private static final byte[] END = new byte[2 * TarHeader.BLOCK];

  private TarSource() {}

  static InputStream of(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new IOException(directory + " is not a directory");
    }
    List<InputStream> entries = new ArrayList<>();
    try (Stream<Path> walk = Files.walk(directory)) {
      walk.filter(path -> !path.equals(directory))
          .sorted()
          .forEach(path -> entries.add(new Entry(directory, path)));
    }
    entries.add(new ByteArrayInputStream(END));
    return new SequenceInputStream(Collections.enumeration(entries));
  }

  /** One file or directory, opened with the first read. */
  private static final class Entry extends InputStream {
    private final Path root;
    private final Path path;
    private byte[] head = new byte[0];
    private int headPosition;
    private InputStream content = InputStream.nullInputStream();
    private long left = -1;
    private int padding;

    Entry(Path root, Path path) {
      this.root = root;
      this.path = path;
    }

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
      if (left < 0) {
        open();
      }
      if (headPosition < head.length) {
        int count = Math.min(length, head.length - headPosition);
        System.arraycopy(head, headPosition, into, from, count);
        headPosition += count;
        return count;
      }
      if (left > 0) {
        int count = content.read(into, from, (int) Math.min(length, left));
        if (count < 0) {
          throw new EOFException(path + " became shorter while it was copied");
        }
        left -= count;
        return count;
      }
      if (padding > 0) {
        int count = Math.min(length, padding);
        Arrays.fill(into, from, from + count, (byte) 0);
        padding -= count;
        return count;
      }
      return -1;
    }

    @Override
    public void close() throws IOException {
      content.close();
    }

    private void open() throws IOException {
      PosixFileAttributes attributes =
          Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      String name = root.relativize(path).toString();
      left = 0;
      if (attributes.isSymbolicLink()) {
        head = header(name, TarHeader.SYMLINK, 0, attributes, linkOf(path));
      } else if (attributes.isDirectory()) {
        head = header(name + "/", TarHeader.DIRECTORY, 0, attributes, "");
      } else if (attributes.isRegularFile()) {
        left = attributes.size();
        padding = TarHeader.padding(left);
        head = header(name, TarHeader.FILE, left, attributes, "");
        content = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS);
      }
      // Sockets, pipes and devices have no content to copy: they are left out.
    }

    private static byte[] header(
        String name, char type, long size, PosixFileAttributes attributes, String link) {
      long modified = attributes.lastModifiedTime().toInstant().getEpochSecond();
      return new TarHeader(name, type, size, TarMode.bits(attributes.permissions()), modified, link)
          .encode();
    }

    private static String linkOf(Path path) throws IOException {
      return Files.readSymbolicLink(path).toString();
    }
  }
}
