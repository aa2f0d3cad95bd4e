package dev.atoll.engine.tree;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Puts all that is in one tree into another: directories are made with the same attributes, all
 * else is the same file under a second name. What is in the way goes, except that a directory takes
 * in what another one has.
 */
public final class LinkedCopy {
  private LinkedCopy() {}

  /** Makes a tree with the content of another, where nothing is. */
  public static void make(Path from, Path to) throws IOException {
    TreeDirectory.makeRoot(to);
    try (TreeDirectory source = TreeDirectory.open(from);
        TreeDirectory target = TreeDirectory.open(to)) {
      copy(source, target);
      target.set(attributes(source.status()));
    }
  }

  /** Adds the content of a tree to a directory of another, whose own attributes stay. */
  public static void add(Path from, ForeignTree tree, String folder) throws IOException {
    try (TreeDirectory source = TreeDirectory.open(from);
        TreeDirectory target = tree.makeDirectories(folder).again()) {
      copy(source, target);
    }
  }

  private static void copy(TreeDirectory from, TreeDirectory to) throws IOException {
    for (String name : from.names()) {
      try (TreeDirectory child = from.directory(name)) {
        if (child == null) {
          to.remove(name);
          to.makeSame(name, from, name);
        } else {
          copyDirectory(child, to, name);
        }
      }
    }
  }

  private static void copyDirectory(TreeDirectory child, TreeDirectory to, String name)
      throws IOException {
    FileStatus there = to.status(name);
    if (there == null || !there.isDirectory()) {
      to.remove(name);
      to.makeDirectory(name);
    }
    try (TreeDirectory target = to.directory(name)) {
      if (target == null) {
        throw new PathException(name, "this is no directory");
      }
      copy(child, target);
      target.set(attributes(child.status()));
    }
  }

  private static FileAttributes attributes(FileStatus status) {
    return new FileAttributes(status.permissions(), status.uid(), status.gid(), status.modified());
  }
}
