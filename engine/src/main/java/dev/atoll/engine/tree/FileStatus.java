package dev.atoll.engine.tree;

import java.time.Instant;

/**
 * What the kernel says of one file; a symbolic link is looked at itself.
 *
 * @param mode type and permissions
 * @param device and
 * @param inode tell files apart
 */
public record FileStatus(
    int mode, int uid, int gid, long size, int links, long device, long inode, Instant modified) {
  private static final int TYPE = 0170000;
  private static final int DIRECTORY = 0040000;
  private static final int REGULAR = 0100000;
  private static final int LINK = 0120000;

  public boolean isDirectory() {
    return (mode & TYPE) == DIRECTORY;
  }

  public boolean isFile() {
    return (mode & TYPE) == REGULAR;
  }

  public boolean isLink() {
    return (mode & TYPE) == LINK;
  }

  /** The permissions, with the bits for set-user-id, set-group-id and sticky. */
  public int permissions() {
    return mode & ~TYPE;
  }

  boolean isSameAs(FileStatus other) {
    return device == other.device && inode == other.inode;
  }
}
