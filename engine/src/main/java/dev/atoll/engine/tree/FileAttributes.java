package dev.atoll.engine.tree;

import java.time.Instant;

/**
 * What a file gets besides its content.
 *
 * @param mode permissions, with the bits for set-user-id, set-group-id and sticky
 */
public record FileAttributes(int mode, int uid, int gid, Instant modified) {
  private static final int PERMISSIONS = 07777;

  public FileAttributes {
    // A number of -1 would tell the kernel to leave the owner as it is.
    if ((mode & ~PERMISSIONS) != 0 || uid < 0 || gid < 0) {
      throw new IllegalArgumentException("mode %o, owner %d:%d".formatted(mode, uid, gid));
    }
  }
}
