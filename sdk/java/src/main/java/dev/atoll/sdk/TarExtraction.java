package dev.atoll.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks an archive that a sandbox sent, so by a stranger, below one directory of this machine.
 *
 * <p>What keeps it inside: names with {@code ..} or a leading {@code /} are refused; every parent
 * of an entry must be a real directory, never a link; an entry that replaces something removes it
 * first and is then created anew, so no link is followed; links are made only after all files are
 * written, and only if their target stays inside. Hard links, devices and pipes are left out. Of
 * the mode only the permission bits are taken, so nothing becomes setuid.
 */
final class TarExtraction {
  private final Path root;
  private final Map<Path, String> links = new LinkedHashMap<>();
  private int leftOut;

  TarExtraction(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  /** Unpacks the archive and returns how many entries were left out. */
  int extract(InputStream archive) throws IOException {
    Files.createDirectories(root);
    TarReader reader = new TarReader(archive);
    for (TarHeader header = reader.next(); header != null; header = reader.next()) {
      Path target = target(header.name());
      if (target == null) {
        leftOut++;
      } else if (!target.equals(root)) {
        unpack(header, target, reader);
      }
    }
    for (Map.Entry<Path, String> link : links.entrySet()) {
      link(link.getKey(), link.getValue());
    }
    return leftOut;
  }

  private void unpack(TarHeader header, Path target, TarReader reader) throws IOException {
    switch (header.type()) {
      case TarHeader.DIRECTORY -> directory(target);
      case TarHeader.FILE -> file(target, header.mode(), reader.content());
      case TarHeader.SYMLINK -> links.put(target, header.link());
      default -> leftOut++;
    }
  }

  /** The place of an entry, or null when its name leads elsewhere. */
  private @Nullable Path target(String name) {
    if (name.startsWith("/") || name.indexOf(0) >= 0) {
      return null;
    }
    for (String part : name.split("/", -1)) {
      if (part.equals("..")) {
        return null;
      }
    }
    Path target = root.resolve(name).normalize();
    return target.startsWith(root) ? target : null;
  }

  private void file(Path target, int mode, InputStream content) throws IOException {
    directory(parentOf(target));
    removeLeaf(target);
    try (OutputStream out =
        Files.newOutputStream(
            target,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS)) {
      content.transferTo(out);
    }
    // The owner can always read and write what was copied.
    Files.setPosixFilePermissions(target, TarMode.permissions(mode | 0600));
  }

  /** Makes the directory and those above it; none of them below the root may be a link. */
  private void directory(Path target) throws IOException {
    Path step = root;
    for (Path part : root.relativize(target)) {
      step = step.resolve(part);
      if (part.toString().isEmpty() || Files.isDirectory(step, LinkOption.NOFOLLOW_LINKS)) {
        continue;
      }
      try {
        Files.createDirectory(step);
      } catch (FileAlreadyExistsException e) {
        throw new IOException(step + " is in the way: it is not a directory", e);
      }
    }
  }

  private void link(Path target, String to) throws IOException {
    Path parent = parentOf(target);
    if (to.isEmpty()
        || !staysInside(parent, to)
        || Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      leftOut++;
      return;
    }
    directory(parent);
    removeLeaf(target);
    Files.createSymbolicLink(target, Path.of(to));
  }

  /**
   * Steps up may come only first, where the directories are known to be real: a step up after a
   * step down could start from wherever another link leads.
   */
  private boolean staysInside(Path parent, String to) {
    boolean down = false;
    for (String part : to.split("/", -1)) {
      if (part.equals("..") && down) {
        return false;
      }
      down |= !part.equals("..") && !part.equals(".") && !part.isEmpty();
    }
    return !to.startsWith("/") && parent.resolve(to).normalize().startsWith(root);
  }

  private static void removeLeaf(Path target) throws IOException {
    if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(target + " is in the way: it is a directory");
    }
    Files.deleteIfExists(target);
  }

  private Path parentOf(Path target) {
    Path parent = target.getParent();
    return parent == null ? root : parent;
  }
}
