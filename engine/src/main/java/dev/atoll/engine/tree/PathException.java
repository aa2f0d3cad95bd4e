package dev.atoll.engine.tree;

import java.nio.file.FileSystemException;

/** A path that a tree cannot have: too long, too deep, through too many links, or no path. */
public final class PathException extends FileSystemException {
  private static final long serialVersionUID = 1L;

  public PathException(String path, String reason) {
    super(shown(path), null, reason);
  }

  /** Names may hold anything, and end up in logs and on terminals. */
  private static String shown(String path) {
    return NameText.shown(path);
  }
}
