package dev.atoll.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something at a path in a sandbox.
 *
 * @param mode permission bits in octal, such as {@code 0644}
 * @param target where a symbolic link points
 */
public record FileEntry(
    String path,
    FileKind kind,
    long size,
    String mode,
    Instant modifiedAt,
    String owner,
    @Nullable String target) {
  /** The last part of the path. */
  public String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
