package dev.atoll.engine.store;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** What a failure of SQLite means to a caller. */
final class StoreFailure {
  /** Of an extended result code, what it is a kind of. */
  private static final int PRIMARY = 0xff;

  /** A disk with less than this cannot take a page and what goes with it. */
  private static final long A_PAGE_AND_MORE = 64 << 10;

  private StoreFailure() {}

  static AtollException of(SQLException e, Path file) {
    int code = e instanceof SQLiteException own ? own.getResultCode().code & PRIMARY : -1;
    if (code == SQLiteErrorCode.SQLITE_FULL.code || (isOfTheDisk(code) && hasNoRoom(file))) {
      return full(file, e);
    }
    if (code == SQLiteErrorCode.SQLITE_BUSY.code
        || code == SQLiteErrorCode.SQLITE_LOCKED.code
        || code == SQLiteErrorCode.SQLITE_PROTOCOL.code) {
      return new AtollException(
          ErrorCode.STORAGE_BUSY,
          "another process holds the database; nothing was changed",
          "try again in a moment; if it lasts, find who has %s open (fuser)".formatted(file),
          Map.of("retryAfterSeconds", 1),
          e);
    }
    if (code == SQLiteErrorCode.SQLITE_CORRUPT.code || code == SQLiteErrorCode.SQLITE_NOTADB.code) {
      return damaged(file, e);
    }
    boolean taken = String.valueOf(e.getMessage()).contains("UNIQUE constraint failed");
    return new AtollException(
        taken ? ErrorCode.CONFLICT : ErrorCode.INTERNAL,
        "the database refused: " + e.getMessage(),
        null,
        Map.of(),
        e);
  }

  static AtollException full(Path file, @Nullable SQLException cause) {
    return new AtollException(
        ErrorCode.STORAGE_FULL,
        "the disk of the server is full; nothing was changed",
        "end sandboxes, delete snapshots or templates, or make room on the disk of "
            + file.resolveSibling("").toAbsolutePath().normalize(),
        Map.of(),
        cause);
  }

  static AtollException damaged(Path file, @Nullable Throwable cause) {
    return new AtollException(
        ErrorCode.STORAGE_DAMAGED,
        "the database %s is damaged".formatted(file),
        "stop the server, keep a copy of its data directory, and restore a backup with `atoll restore`",
        Map.of(),
        cause);
  }

  private static boolean isOfTheDisk(int code) {
    return code == SQLiteErrorCode.SQLITE_IOERR.code
        || code == SQLiteErrorCode.SQLITE_CANTOPEN.code;
  }

  private static boolean hasNoRoom(Path file) {
    try {
      return Files.getFileStore(file.toAbsolutePath().getParent()).getUsableSpace()
          < A_PAGE_AND_MORE;
    } catch (IOException e) {
      return false;
    }
  }
}
