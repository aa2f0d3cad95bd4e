package dev.atoll.engine.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Creates a tree from entries that a stranger may have written, as root.
 *
 * <p>Safe because a path is never given to the kernel as the archive has it: its directory must be
 * one that this object created (it is looked up, not resolved, so a symbolic link is none), its
 * last name is one name, and whatever is there already is an error, never replaced. So nothing is
 * created, changed or followed outside the root. Hard links lead only to regular files of this same
 * tree. There is no kind of entry for devices, sockets and pipes. Links may point anywhere: nobody
 * follows them on the host.
 */
final class TreeUnpack {
  private final Path root;
  private final Map<String, Path> directories = new HashMap<>();
  private final Map<String, Path> files = new HashMap<>();

  /** Directories get their attributes last: creating files in them would change the times. */
  private final Map<Path, TreeEntry> pending = new LinkedHashMap<>();

  TreeUnpack(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  void add(TreeEntry entry, InputStream content) throws IOException {
    Path file = place(entry);
    switch (entry.kind()) {
      case DIRECTORY -> {
        Files.createDirectory(file);
        directories.put(entry.path(), file);
        pending.put(file, entry);
      }
      case FILE -> {
        try (OutputStream out =
            Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
          Archive.copy(content, out, entry.size());
        }
        files.put(entry.path(), file);
        TreeAttributes.set(file, values(entry));
      }
      case SYMBOLIC_LINK -> {
        Files.createSymbolicLink(file, RawName.target(entry.target()));
        TreeAttributes.setOfLink(file, values(entry));
      }
      case HARD_LINK -> {
        Path first = files.get(entry.target());
        if (first == null) {
          throw Archive.invalid(entry.path() + " is a link to no file before it");
        }
        Files.createLink(file, first);
      }
    }
  }

  /** To be called after the last entry. */
  void finish() throws IOException {
    if (directories.isEmpty()) {
      throw Archive.invalid("its root file system is empty");
    }
    for (Map.Entry<Path, TreeEntry> directory : pending.entrySet()) {
      TreeAttributes.set(directory.getKey(), values(directory.getValue()));
    }
  }

  /** Makes sure that the tree can be removed, whatever modes its directories have got. */
  void open() throws IOException {
    for (Path directory : pending.keySet()) {
      if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
        Files.setAttribute(directory, "unix:mode", 0700, LinkOption.NOFOLLOW_LINKS);
      }
    }
  }

  private Path place(TreeEntry entry) {
    String path = entry.path();
    if (path.isEmpty()) {
      if (entry.kind() != TreeEntry.Kind.DIRECTORY || !directories.isEmpty()) {
        throw Archive.invalid("a root that is not the first directory");
      }
      return root;
    }
    int slash = path.lastIndexOf('/');
    Path parent = directories.get(slash < 0 ? "" : path.substring(0, slash));
    if (parent == null || slash == 0) {
      throw Archive.invalid("'" + path + "' is in no directory of the archive");
    }
    Path file = RawName.in(parent, path.substring(slash + 1));
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw Archive.invalid("'" + path + "' is there twice");
    }
    return file;
  }

  private static TreeAttributes.Values values(TreeEntry entry) {
    return new TreeAttributes.Values(entry.mode(), entry.uid(), entry.gid(), entry.time());
  }
}
