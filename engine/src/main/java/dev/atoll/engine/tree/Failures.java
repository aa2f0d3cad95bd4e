package dev.atoll.engine.tree;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Map;

/** Numbers of errors as exceptions, in the words of the C library. */
final class Failures {
  private static final Map<Integer, String> WORDS =
      Map.ofEntries(
          Map.entry(1, "Operation not permitted"),
          Map.entry(5, "Input/output error"),
          Map.entry(SystemCalls.EXDEV, "Invalid cross-device link"),
          Map.entry(13, "Permission denied"),
          Map.entry(SystemCalls.ENOTDIR, "Not a directory"),
          Map.entry(SystemCalls.EISDIR, "Is a directory"),
          Map.entry(22, "Invalid argument"),
          Map.entry(24, "Too many open files"),
          Map.entry(27, "File too large"),
          Map.entry(28, "No space left on device"),
          Map.entry(30, "Read-only file system"),
          Map.entry(31, "Too many links"),
          Map.entry(36, "File name too long"),
          Map.entry(SystemCalls.ELOOP, "Too many levels of symbolic links"),
          Map.entry(122, "Disk quota exceeded"));

  private Failures() {}

  /** What a call has returned, unless that is an error. */
  static int check(long result, String name) throws IOException {
    if (result >= 0) {
      return (int) result;
    }
    String shown = NameText.shown(name);
    throw switch ((int) -result) {
      case SystemCalls.ENOENT -> new NoSuchFileException(shown);
      case SystemCalls.EEXIST -> new FileAlreadyExistsException(shown);
      case SystemCalls.ENOTEMPTY -> new DirectoryNotEmptyException(shown);
      default ->
          new FileSystemException(
              shown, null, WORDS.getOrDefault((int) -result, "error " + -result));
    };
  }
}
