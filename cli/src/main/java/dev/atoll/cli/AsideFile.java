package dev.atoll.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A file that appears under its name when it is complete, and not at all if it is not. Only its
 * owner may read it: the memory of a sandbox may hold secrets.
 */
final class AsideFile implements AutoCloseable {
  private final Path target;
  private final Path aside;
  private final boolean replace;

  AsideFile(Path file, boolean replace) throws IOException {
    this.target = checked(file, replace);
    this.replace = replace;
    this.aside = Files.createTempFile(target.getParent(), ".atoll-", ".part");
    // For a Ctrl-C, which ends the program without close().
    aside.toFile().deleteOnExit();
  }

  OutputStream open() throws IOException {
    return Files.newOutputStream(aside);
  }

  /** Gives the file its name. */
  void complete() throws IOException {
    try {
      if (replace) {
        Files.move(aside, target, StandardCopyOption.REPLACE_EXISTING);
      } else {
        Files.move(aside, target);
      }
    } catch (FileAlreadyExistsException e) {
      throw exists(target);
    }
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(aside);
  }

  /** A device or a pipe must not be replaced by a file, not even by force. */
  private static Path checked(Path file, boolean replace) throws IOException {
    if (!Files.exists(file)) {
      return file.toAbsolutePath();
    }
    if (!Files.isRegularFile(file)) {
      throw new UsageException(file + " is not a file that could be replaced");
    }
    if (!replace) {
      throw exists(file);
    }
    return file.toRealPath();
  }

  private static UsageException exists(Path file) {
    return new UsageException(file + " is there already; replace it with --force");
  }
}
