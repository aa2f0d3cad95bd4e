package dev.atoll.engine.image;

import dev.atoll.engine.tree.FileAttributes;
import dev.atoll.engine.tree.ForeignTree;
import dev.atoll.engine.tree.TreeDirectory;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Directories that get their attributes when everything is in them. One that has gone, or has made
 * room for something else since, gets none: each is found again without following a link, and must
 * be the same one still.
 */
final class PendingDirectories {
  private record Wanted(long inode, FileAttributes attributes) {}

  private final Map<String, Wanted> wanted = new LinkedHashMap<>();
  private final long mostText;
  private long text;

  PendingDirectories(long mostText) {
    this.mostText = mostText;
  }

  void add(String path, long inode, FileAttributes attributes) {
    if (wanted.put(path, new Wanted(inode, attributes)) == null) {
      text += path.length();
      if (text > mostText) {
        throw TarEntries.invalid(
            "the paths of its directories have more than " + mostText + " bytes");
      }
    }
  }

  void setAll(ForeignTree tree) throws IOException {
    for (Map.Entry<String, Wanted> one : wanted.entrySet()) {
      TreeDirectory directory = tree.same(one.getKey(), one.getValue().inode());
      if (directory != null) {
        directory.set(one.getValue().attributes());
      }
    }
  }
}
