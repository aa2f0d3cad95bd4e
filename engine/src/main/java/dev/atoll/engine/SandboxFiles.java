package dev.atoll.engine;

import dev.atoll.engine.file.GuestFileSystem;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.FileEntry;
import dev.atoll.model.FileList;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** The files of a sandbox. Paths are absolute, or relative to the home of the sandbox's user. */
public final class SandboxFiles {
  private static final int MAX_DEPTH = 64;
  private static final int MAX_ENTRIES = 100_000;

  private final GuestFileSystem files;

  SandboxFiles(GuestFileSystem files) {
    this.files = files;
  }

  public FileEntry stat(String path) {
    return files.stat(path);
  }

  /** Lists a directory, and those below it down to a depth; 1 is the directory alone. */
  public FileList list(String path, int depth, int limit) {
    range("depth", depth, MAX_DEPTH);
    range("limit", limit, MAX_ENTRIES);
    return files.list(path, depth, limit);
  }

  private static void range(String field, int value, int most) {
    if (value < 1 || value > most) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT,
          "%s is %d, must be between 1 and %d".formatted(field, value, most),
          null,
          Map.of("field", field),
          null);
    }
  }

  /** Reads a file from an offset; length 0 means to the end. */
  public FileContent read(String path, long offset, long length) {
    return files.read(path, offset, length);
  }

  /** Writes a file; it appears whole under its name, or not at all. */
  public FileEntry write(String path, InputStream content, WriteOptions options) {
    try {
      return files.write(path, content, options);
    } catch (IOException e) {
      throw brokenOff(e);
    }
  }

  public FileEntry makeDirectory(String path, boolean parents) {
    return files.makeDirectory(path, parents);
  }

  public FileEntry move(String from, String to, boolean overwrite) {
    return files.move(from, to, overwrite);
  }

  public void remove(String path, boolean recursive) {
    files.remove(path, recursive);
  }

  public FileWatch watch(String path, boolean recursive) {
    return files.watch(path, recursive);
  }

  /** The content of a directory as a tar archive. */
  public InputStream readTar(String path) {
    FileEntry entry = files.stat(path);
    if (entry.kind() != dev.atoll.model.FileKind.DIRECTORY) {
      throw new AtollException(ErrorCode.NOT_A_DIRECTORY, path + " is not a directory");
    }
    return files.readTar(path);
  }

  /** Unpacks a tar archive below a directory. */
  public void writeTar(String path, InputStream archive) {
    try {
      files.writeTar(path, archive);
    } catch (IOException e) {
      throw brokenOff(e);
    }
  }

  private static AtollException brokenOff(IOException e) {
    return new AtollException(
        ErrorCode.BAD_REQUEST,
        "the upload broke off: " + e.getMessage(),
        "send it again",
        Map.of(),
        e);
  }
}
