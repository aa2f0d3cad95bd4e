package dev.atoll.engine.image;

import dev.atoll.engine.tree.FileStatus;
import dev.atoll.engine.tree.TreeDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Goes through a tree in an order that its names alone determine, directories before what is in
 * them. Devices, sockets and pipes are passed over: a sandbox gets its own /dev, and an importing
 * host must not be made to create them.
 */
final class TreeWalk {
  /** Opens the content of a regular file. */
  @FunctionalInterface
  interface Content {
    InputStream open() throws IOException;
  }

  /** What to do with each entry. */
  @FunctionalInterface
  interface Visitor {
    void visit(TreeEntry entry, Content content) throws IOException;
  }

  private final Visitor visitor;
  private final Map<Long, String> firstPaths = new HashMap<>();

  private TreeWalk(Visitor visitor) {
    this.visitor = visitor;
  }

  static void of(Path root, Visitor visitor) throws IOException {
    try (TreeDirectory directory = TreeDirectory.open(root)) {
      new TreeWalk(visitor).visitDirectory(directory, "");
    }
  }

  private void visitDirectory(TreeDirectory directory, String path) throws IOException {
    FileStatus status = directory.status();
    visitor.visit(
        entry(TreeEntry.Kind.DIRECTORY, path, status, 0, ""), InputStream::nullInputStream);
    Map<String, String> children = new TreeMap<>();
    directory.names().forEach(name -> children.put(RawName.encoded(name), name));
    for (Map.Entry<String, String> child : children.entrySet()) {
      String below = path.isEmpty() ? child.getKey() : path + "/" + child.getKey();
      visit(directory, child.getValue(), below);
    }
  }

  private void visit(TreeDirectory folder, String name, String path) throws IOException {
    FileStatus status = folder.status(name);
    if (status == null) {
      throw new IOException(path + " has gone in the meantime");
    }
    if (status.isDirectory()) {
      try (TreeDirectory directory = folder.directory(name)) {
        if (directory == null) {
          throw new IOException(path + " has gone in the meantime");
        }
        visitDirectory(directory, path);
      }
    } else if (status.isLink()) {
      String target = RawName.encodedTarget(folder.target(name));
      visitor.visit(
          entry(TreeEntry.Kind.SYMBOLIC_LINK, path, status, 0, target),
          InputStream::nullInputStream);
    } else if (status.isFile()) {
      String first = status.links() > 1 ? firstPaths.putIfAbsent(status.inode(), path) : null;
      visitor.visit(
          first == null
              ? entry(TreeEntry.Kind.FILE, path, status, status.size(), "")
              : entry(TreeEntry.Kind.HARD_LINK, path, status, 0, first),
          () -> folder.read(name));
    }
  }

  private static TreeEntry entry(
      TreeEntry.Kind kind, String path, FileStatus status, long size, String target) {
    return new TreeEntry(
        kind,
        path,
        status.permissions(),
        status.uid(),
        status.gid(),
        status.modified(),
        size,
        target);
  }
}
