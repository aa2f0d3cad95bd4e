package dev.atoll.engine.file;

import dev.atoll.model.FileEntry;
import dev.atoll.model.FileKind;
import dev.atoll.protocol.wire.Entry;
import java.time.Instant;

/** The agent's entries in the API's terms. */
final class Entries {
  private Entries() {}

  static FileEntry of(Entry entry) {
    FileKind kind =
        switch (entry.getKind()) {
          case FILE -> FileKind.FILE;
          case DIRECTORY -> FileKind.DIRECTORY;
          case SYMLINK -> FileKind.SYMLINK;
          case OTHER, UNRECOGNIZED -> FileKind.OTHER;
        };
    long nanos = Math.max(0, entry.getModifiedNanos());
    return new FileEntry(
        entry.getPath(),
        kind,
        Math.max(0, entry.getSize()),
        "0" + Integer.toOctalString(entry.getMode() & 07777),
        Instant.ofEpochSecond(nanos / 1_000_000_000, nanos % 1_000_000_000),
        entry.getOwner(),
        entry.getTarget().isEmpty() ? null : entry.getTarget());
  }
}
