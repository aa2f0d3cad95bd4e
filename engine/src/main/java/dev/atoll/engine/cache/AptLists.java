package dev.atoll.engine.cache;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * What lists of an archive promise of its packages. A list is read once, when apt first asks for
 * it, and kept as lines of path and digest.
 */
final class AptLists {
  private static final long MAX_LIST = 1L << 30;
  private static final int BLOCK = 64 << 10;

  /** Longer ones are cut: no path is so long. */
  private static final int MAX_LINE = 4096;

  /** Of the memory that unpacking may take, in KiB; the largest that xz uses by itself needs it. */
  private static final int MAX_MEMORY = 96 << 10;

  private final CacheFolder folder;
  private final ReentrantLock reading = new ReentrantLock();

  AptLists(CacheFolder folder) {
    this.folder = folder;
  }

  /** Opens a list. */
  interface Opening {
    Body open() throws IOException;
  }

  /** Takes in a list, unless it is known. */
  void learn(URI archive, Promise promise, Opening opening) throws IOException {
    Path place = folder.page(prefix(archive) + promise.digest());
    if (Files.exists(place)) {
      CacheFolder.touch(place);
      return;
    }
    // One at a time: unpacking takes memory.
    reading.lock();
    Path packed = folder.begin();
    Path made = folder.begin();
    try {
      if (Files.exists(place)) {
        return;
      }
      try (Body body = opening.open();
          OutputStream out = Files.newOutputStream(packed)) {
        body.writeTo(out);
      }
      try (InputStream in = unpacked(new BufferedInputStream(Files.newInputStream(packed)));
          OutputStream out = new BufferedOutputStream(Files.newOutputStream(made))) {
        digest(in, out);
      }
      folder.keep(made, place);
    } finally {
      Files.deleteIfExists(packed);
      Files.deleteIfExists(made);
      reading.unlock();
    }
  }

  private static String prefix(URI archive) {
    return "apt-" + Digests.sha256(archive.toString()).substring(0, 16) + "-";
  }

  private static InputStream unpacked(BufferedInputStream in) throws IOException {
    in.mark(8);
    int first = in.read();
    int second = in.read();
    in.reset();
    InputStream plain =
        switch (first) {
          case 0xfd -> new XZInputStream(in, MAX_MEMORY);
          case 0x1f -> second == 0x8b ? new GZIPInputStream(in) : in;
          default -> in;
        };
    return new BoundedStream(plain, MAX_LIST, "a list of packages", _ -> {});
  }

  /**
   * Writes a line for every package that has a path and a digest. Lists are large, and most of
   * their lines of no interest, so they are looked at as bytes.
   */
  private static void digest(InputStream in, OutputStream to) throws IOException {
    Paragraph paragraph = new Paragraph(to);
    byte[] block = new byte[BLOCK];
    byte[] line = new byte[MAX_LINE];
    int length = 0;
    for (int read = in.read(block); read >= 0; read = in.read(block)) {
      for (int i = 0; i < read; i++) {
        if (block[i] == '\n') {
          paragraph.line(line, length);
          length = 0;
        } else if (length < MAX_LINE) {
          line[length++] = block[i];
        }
      }
    }
    paragraph.line(line, length);
    paragraph.line(line, 0);
  }

  /** What a list says of one package. */
  private static final class Paragraph {
    private static final byte[] PATH = "Filename: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DIGEST = "SHA256: ".getBytes(StandardCharsets.US_ASCII);

    private final OutputStream to;
    private String path = "";
    private String digest = "";

    Paragraph(OutputStream to) {
      this.to = to;
    }

    void line(byte[] line, int length) throws IOException {
      if (begins(line, length, PATH)) {
        path = value(line, length, PATH).replaceFirst("^\\./", "");
      } else if (begins(line, length, DIGEST)) {
        digest = value(line, length, DIGEST);
      } else if (length == 0) {
        if (!path.isEmpty() && Promise.sha256(digest) != null) {
          to.write((path + "\t" + digest + "\n").getBytes(StandardCharsets.ISO_8859_1));
        }
        path = "";
        digest = "";
      }
    }

    private static boolean begins(byte[] line, int length, byte[] name) {
      return length > name.length
          && line[0] == name[0]
          && Arrays.equals(line, 0, name.length, name, 0, name.length);
    }

    private static String value(byte[] line, int length, byte[] name) {
      return new String(line, name.length, length - name.length, StandardCharsets.ISO_8859_1)
          .strip();
    }
  }

  /** What the newest list that has it promises of a package; null when none has. */
  @Nullable Promise find(URI archive, String path) throws IOException {
    String sought = path + "\t";
    for (Path list : newestFirst(archive)) {
      try (BufferedReader reader = Files.newBufferedReader(list, StandardCharsets.ISO_8859_1)) {
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
          if (line.startsWith(sought)) {
            return Promise.sha256(line.substring(sought.length()));
          }
        }
      } catch (NoSuchFileException e) {
        // It has just made room for another.
      }
    }
    return null;
  }

  private List<Path> newestFirst(URI archive) throws IOException {
    return folder.pages(prefix(archive)).stream()
        .sorted(Comparator.comparing(CacheFolder::used).reversed())
        .toList();
  }
}
