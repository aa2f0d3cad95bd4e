package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.UUID;

/**
 * A checkpoint's directory in the making: written beside its place, synced if it is to last, and
 * then renamed, so that the directory is complete from the moment it can be seen.
 */
record ImageFiles(Path place, Path aside) implements AutoCloseable {

  static ImageFiles beside(Path place) throws IOException {
    if (Files.exists(place)) {
      throw new FileAlreadyExistsException(place.toString());
    }
    Path parent = Objects.requireNonNull(place.toAbsolutePath().getParent());
    Path aside = parent.resolve("." + place.getFileName() + "." + UUID.randomUUID());
    Files.createDirectory(aside);
    return new ImageFiles(place.toAbsolutePath(), aside);
  }

  /** Brings everything written so far to disk. */
  void sync() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(aside)) {
      for (Path file : files) {
        sync(file, StandardOpenOption.WRITE);
      }
    }
    sync(aside, StandardOpenOption.READ);
  }

  void publish() throws IOException {
    Files.move(aside, place, StandardCopyOption.ATOMIC_MOVE);
    sync(Objects.requireNonNull(place.getParent()), StandardOpenOption.READ);
  }

  /** Removes what was not published. */
  @Override
  public void close() throws IOException {
    if (!Files.exists(aside)) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(aside)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(aside);
  }

  private static void sync(Path path, StandardOpenOption option) throws IOException {
    try (FileChannel channel = FileChannel.open(path, option)) {
      channel.force(true);
    }
  }
}
