package dev.atoll.engine.image;

import com.github.luben.zstd.ZstdInputStream;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * Lays archives that a stranger may have written over a tree, as root.
 *
 * <p>Safe because every path is resolved by {@link ScopedTree}, which never leaves the root and
 * lets nothing but itself follow a link. Files of the tree may be hard links into other trees, so
 * none is ever written in place: what an entry replaces is removed first, and the attributes of a
 * hard link are never set. Devices, sockets and pipes are passed over. Nobody else may change the
 * tree meanwhile.
 */
public final class TarOverlay {
  private static final int MOST_ENTRIES = 3_000_000;
  private static final String WHITEOUT = ".wh.";
  private static final String OPAQUE = ".wh..wh..opq";
  private static final int MAGIC_BYTES = 6;
  private static final int PERMISSIONS = 07777;

  private final ScopedTree tree;
  private long left;
  private int entries;

  /**
   * @param mostBytes that all files of all archives may have together
   */
  public TarOverlay(Path root, long mostBytes) {
    this.tree = new ScopedTree(root);
    this.left = mostBytes;
  }

  /** Removes what is at a path; its bytes come as the characters 0 to 255. */
  public void remove(String path) throws IOException {
    tree.remove(ScopedTree.encoded(path.getBytes(StandardCharsets.ISO_8859_1)));
  }

  /** Lays an archive over the tree; it may be compressed with gzip or zstd. */
  public void apply(InputStream in) throws IOException {
    apply(in, false);
  }

  /** The same with a layer of an image, in which some names say what is to be removed. */
  public void applyLayer(InputStream in) throws IOException {
    apply(in, true);
  }

  private void apply(InputStream in, boolean whiteouts) throws IOException {
    Map<Path, TarArchiveEntry> directories = new LinkedHashMap<>();
    Set<Path> made = new HashSet<>();
    TarArchiveInputStream tar = new TarArchiveInputStream(plain(in), "UTF-8");
    try {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        if (++entries > MOST_ENTRIES) {
          throw invalid("it has more than " + MOST_ENTRIES + " entries");
        }
        String path = encoded(entry.getName());
        String name = path.substring(path.lastIndexOf('/') + 1);
        if (whiteouts && name.startsWith(WHITEOUT)) {
          whiteout(path, name, made);
        } else if (!path.isEmpty()) {
          made.add(add(tar, entry, path, directories));
        }
      }
    } catch (IllegalArgumentException e) {
      throw invalid(String.valueOf(e.getMessage()));
    }
    // Last: creating files in them would change their times.
    for (Map.Entry<Path, TarArchiveEntry> directory : directories.entrySet()) {
      if (ScopedTree.isDirectory(directory.getKey())) {
        TreeAttributes.set(directory.getKey(), attributes(directory.getValue()));
      }
    }
  }

  private Path add(
      TarArchiveInputStream tar,
      TarArchiveEntry entry,
      String path,
      Map<Path, TarArchiveEntry> directories)
      throws IOException {
    Path file = tree.place(path);
    if (entry.isDirectory()) {
      tree.makeDirectory(file);
      directories.put(file, entry);
    } else if (entry.isSymbolicLink()) {
      tree.clear(file);
      Files.createSymbolicLink(file, RawName.target(target(entry.getLinkName())));
      TreeAttributes.setOfLink(file, attributes(entry));
    } else if (entry.isLink()) {
      Path first = tree.find(encoded(entry.getLinkName()));
      if (first == null || !ScopedTree.isFile(first)) {
        throw invalid(entry.getName() + " is a link to something that is no file");
      }
      if (!first.equals(file)) {
        tree.clear(file);
        Files.createLink(file, first);
      }
    } else if (!isSpecial(entry)) {
      tree.clear(file);
      write(tar, entry, file);
    }
    return file;
  }

  private static boolean isSpecial(TarArchiveEntry entry) {
    return entry.isBlockDevice() || entry.isCharacterDevice() || entry.isFIFO();
  }

  private void write(TarArchiveInputStream tar, TarArchiveEntry entry, Path file)
      throws IOException {
    if (!tar.canReadEntryData(entry)) {
      throw invalid(entry.getName() + " is stored in a form that cannot be read");
    }
    try (OutputStream out =
        Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      byte[] buffer = new byte[1 << 16];
      for (int n = tar.read(buffer); n >= 0; n = tar.read(buffer)) {
        left -= n;
        if (left < 0) {
          throw new AtollException(
              ErrorCode.TOO_LARGE,
              "the files of the template are larger than it may be",
              "leave something out, or raise template.max-disk");
        }
        out.write(buffer, 0, n);
      }
    }
    TreeAttributes.set(file, attributes(entry));
  }

  private void whiteout(String path, String name, Set<Path> made) throws IOException {
    String folder = path.substring(0, path.length() - name.length());
    if (name.equals(OPAQUE)) {
      tree.clearExcept(folder, made);
      return;
    }
    String hidden = folder + name.substring(WHITEOUT.length());
    if (!made.contains(tree.find(hidden))) {
      tree.remove(hidden);
    }
  }

  private static TreeAttributes.Values attributes(TarArchiveEntry entry) {
    return new TreeAttributes.Values(
        entry.getMode() & PERMISSIONS,
        Math.toIntExact(entry.getLongUserId() & 0x7fffffffL),
        Math.toIntExact(entry.getLongGroupId() & 0x7fffffffL),
        entry.getLastModifiedTime());
  }

  private static String encoded(String name) {
    if (name.indexOf('\ufffd') >= 0) {
      throw invalid("it has a name that is not UTF-8: " + name);
    }
    return ScopedTree.encoded(name.getBytes(StandardCharsets.UTF_8));
  }

  /** Targets mean nothing to the host; their form alone is looked at. */
  private static String target(String name) {
    String encoded = ScopedTree.escaped(name.getBytes(StandardCharsets.UTF_8));
    return encoded.length() > 1 && encoded.endsWith("/")
        ? encoded.substring(0, encoded.length() - 1)
        : encoded;
  }

  private static InputStream plain(InputStream in) throws IOException {
    BufferedInputStream buffered = new BufferedInputStream(in, 1 << 16);
    buffered.mark(MAGIC_BYTES);
    byte[] magic = buffered.readNBytes(MAGIC_BYTES);
    buffered.reset();
    int first = magic.length < 4 ? 0 : ((magic[0] & 0xff) << 8) | (magic[1] & 0xff);
    return switch (first) {
      case 0x1f8b -> new GZIPInputStream(buffered, 1 << 16);
      case 0x28b5 -> new ZstdInputStream(buffered);
      case 0xfd37, 0x425a -> throw invalid("it is compressed with xz or bzip2; use gzip or zstd");
      default -> buffered;
    };
  }

  static AtollException invalid(String why) {
    return new AtollException(ErrorCode.INVALID_ARGUMENT, "the archive cannot be unpacked: " + why);
  }
}
