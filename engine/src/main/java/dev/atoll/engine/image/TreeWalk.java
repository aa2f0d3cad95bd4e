package dev.atoll.engine.image;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Goes through a tree in an order that its names alone determine, directories before what is in
 * them. Devices, sockets and pipes are passed over: a sandbox gets its own /dev, and an importing
 * host must not be made to create them.
 */
final class TreeWalk {
  private static final int TYPE = 0170000;
  private static final int DIRECTORY = 0040000;
  private static final int REGULAR = 0100000;
  private static final int LINK = 0120000;

  /** What to do with each entry. */
  @FunctionalInterface
  interface Visitor {
    void visit(TreeEntry entry, Path file) throws IOException;
  }

  private final Visitor visitor;
  private final Map<String, String> firstPaths = new HashMap<>();

  private TreeWalk(Visitor visitor) {
    this.visitor = visitor;
  }

  static void of(Path root, Visitor visitor) throws IOException {
    new TreeWalk(visitor).visit(root.toAbsolutePath().normalize(), "");
  }

  private void visit(Path file, String path) throws IOException {
    Map<String, Object> attributes =
        Files.readAttributes(
            file, "unix:mode,uid,gid,ino,nlink,size,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
    switch (number(attributes, "mode").intValue() & TYPE) {
      case DIRECTORY -> {
        visitor.visit(entry(TreeEntry.Kind.DIRECTORY, path, attributes, 0, ""), file);
        visitChildren(file, path);
      }
      case REGULAR -> visitRegular(file, path, attributes);
      case LINK -> {
        String target = RawName.ofTarget(Files.readSymbolicLink(file));
        visitor.visit(entry(TreeEntry.Kind.SYMBOLIC_LINK, path, attributes, 0, target), file);
      }
      default -> {}
    }
  }

  private void visitRegular(Path file, String path, Map<String, Object> attributes)
      throws IOException {
    String first = null;
    if (number(attributes, "nlink").intValue() > 1) {
      first = firstPaths.putIfAbsent(String.valueOf(attributes.get("ino")), path);
    }
    visitor.visit(
        first == null
            ? entry(
                TreeEntry.Kind.FILE, path, attributes, number(attributes, "size").longValue(), "")
            : entry(TreeEntry.Kind.HARD_LINK, path, attributes, 0, first),
        file);
  }

  private void visitChildren(Path directory, String path) throws IOException {
    Map<String, Path> children = new TreeMap<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      entries.forEach(child -> children.put(RawName.of(child), child));
    }
    for (Map.Entry<String, Path> child : children.entrySet()) {
      visit(child.getValue(), path.isEmpty() ? child.getKey() : path + "/" + child.getKey());
    }
  }

  private static TreeEntry entry(
      TreeEntry.Kind kind, String path, Map<String, Object> attributes, long size, String target) {
    return new TreeEntry(
        kind,
        path,
        number(attributes, "mode").intValue() & ~TYPE,
        number(attributes, "uid").intValue(),
        number(attributes, "gid").intValue(),
        ((FileTime) value(attributes, "lastModifiedTime")).toInstant(),
        size,
        target);
  }

  private static Number number(Map<String, Object> attributes, String name) {
    return (Number) value(attributes, name);
  }

  private static Object value(Map<String, Object> attributes, String name) {
    @Nullable Object value = attributes.get(name);
    if (value == null) {
      throw new IllegalStateException("the file system has no attribute " + name);
    }
    return value;
  }
}
