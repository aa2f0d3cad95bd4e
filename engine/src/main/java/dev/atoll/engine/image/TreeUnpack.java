package dev.atoll.engine.image;

import dev.atoll.engine.tree.FileAttributes;
import dev.atoll.engine.tree.FileStatus;
import dev.atoll.engine.tree.TreeDirectory;
import dev.atoll.engine.tree.TreeFileOutput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Creates a tree from entries that a stranger may have written, as root.
 *
 * <p>Safe because everything is done by the descriptors of directories that this object has made
 * and has open: an entry is one name in one of them, and whatever is there already is an error,
 * never replaced. Hard links lead only to regular files of this same tree. There is no kind of
 * entry for devices, sockets and pipes. Links may point anywhere: nobody follows them on the host.
 *
 * <p>Entries come directory by directory, as {@link TreeWalk} has them, so that all that is kept of
 * them is the way from the root to the last one.
 */
final class TreeUnpack implements TreeTarget {
  private static final int MOST_DEPTH = 256;

  private final Path root;
  private final Deque<Level> levels = new ArrayDeque<>();
  private boolean begun;

  /** A directory that may still get entries; it gets its attributes when it no longer may. */
  private record Level(String path, TreeDirectory directory, FileAttributes attributes) {}

  /**
   * @param root an empty directory
   */
  TreeUnpack(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  @Override
  public void add(TreeEntry entry, InputStream content) throws IOException {
    if (entry.path().isEmpty()) {
      begin(entry);
      return;
    }
    Level level = level(entry.path());
    TreeDirectory directory = level.directory();
    String name = RawName.decodedName(entry.path().substring(prefix(level.path())));
    if (directory.status(name) != null) {
      throw Archive.invalid("'" + entry.path() + "' is there twice");
    }
    switch (entry.kind()) {
      case DIRECTORY -> {
        directory.makeDirectory(name);
        push(entry, directory.directory(name));
      }
      case FILE -> {
        try (TreeFileOutput out = directory.create(name)) {
          Archive.copy(content, out, entry.size());
          out.set(attributes(entry));
        }
      }
      case SYMBOLIC_LINK -> {
        directory.makeLink(name, RawName.decodedTarget(entry.target()));
        directory.setOfLink(name, attributes(entry));
      }
      case HARD_LINK -> link(entry, directory, name);
    }
  }

  private void begin(TreeEntry entry) throws IOException {
    if (entry.kind() != TreeEntry.Kind.DIRECTORY || begun) {
      throw Archive.invalid("a root that is not the first directory");
    }
    begun = true;
    push(entry, TreeDirectory.open(root));
  }

  private void push(TreeEntry entry, @Nullable TreeDirectory directory) {
    if (directory == null) {
      throw Archive.invalid("'" + entry.path() + "' is no directory");
    }
    levels.push(new Level(entry.path(), directory, attributes(entry)));
    if (levels.size() > MOST_DEPTH) {
      throw Archive.invalid("a path of more than " + MOST_DEPTH + " names");
    }
  }

  /** The open directory that an entry belongs to; those that it has left behind are finished. */
  private Level level(String path) throws IOException {
    String parent = path.substring(0, Math.max(0, path.lastIndexOf('/')));
    while (!levels.isEmpty() && !isAtOrBelow(parent, levels.getFirst().path())) {
      finishLast();
    }
    Level level = levels.peek();
    if (level == null || !level.path().equals(parent) || path.startsWith("/")) {
      throw Archive.invalid("'" + path + "' is in no directory of the archive");
    }
    return level;
  }

  private static boolean isAtOrBelow(String path, String folder) {
    return path.equals(folder) || folder.isEmpty() || path.startsWith(folder + "/");
  }

  private static int prefix(String folder) {
    return folder.isEmpty() ? 0 : folder.length() + 1;
  }

  private void link(TreeEntry entry, TreeDirectory directory, String name) throws IOException {
    String[] names = entry.target().split("/", -1);
    if (names.length > MOST_DEPTH) {
      throw Archive.invalid("a path of more than " + MOST_DEPTH + " names");
    }
    TreeDirectory folder = TreeDirectory.open(root);
    try {
      for (int i = 0; i < names.length - 1; i++) {
        TreeDirectory next = folder.directory(RawName.decodedName(names[i]));
        folder.close();
        if (next == null) {
          throw noFile(entry);
        }
        folder = next;
      }
      String last = RawName.decodedName(names[names.length - 1]);
      FileStatus status = folder.status(last);
      if (status == null || !status.isFile()) {
        throw noFile(entry);
      }
      directory.makeSame(name, folder, last);
    } finally {
      folder.close();
    }
  }

  private static RuntimeException noFile(TreeEntry entry) {
    return Archive.invalid(entry.path() + " is a link to no file before it");
  }

  @Override
  public void finish() throws IOException {
    if (levels.isEmpty()) {
      throw Archive.invalid("its root file system is empty");
    }
    while (!levels.isEmpty()) {
      finishLast();
    }
  }

  private void finishLast() throws IOException {
    Level level = levels.pop();
    try (TreeDirectory directory = level.directory()) {
      directory.set(level.attributes());
    }
  }

  private static FileAttributes attributes(TreeEntry entry) {
    if (entry.uid() > TreeEntry.MOST_OWNER || entry.gid() > TreeEntry.MOST_OWNER) {
      throw Archive.invalid(
          "%s belongs to the number %d, at most %d"
              .formatted(entry.path(), Math.max(entry.uid(), entry.gid()), TreeEntry.MOST_OWNER));
    }
    return new FileAttributes(entry.mode(), entry.uid(), entry.gid(), entry.modified());
  }

  @Override
  public void close() {
    levels.forEach(level -> level.directory().close());
    levels.clear();
  }
}
