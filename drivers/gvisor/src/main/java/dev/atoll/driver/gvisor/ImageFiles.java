package dev.atoll.driver.gvisor;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * A checkpoint's directory in the making: written beside its place, synced if it is to last, and
 * then renamed, so that the directory is complete from the moment it can be seen.
 */
record ImageFiles(Path place, Path aside) implements AutoCloseable {
  private static final String VERSION = "runsc-version";

  static ImageFiles beside(Path place) throws IOException {
    if (Files.exists(place)) {
      throw new FileAlreadyExistsException(place.toString());
    }
    Path parent = Objects.requireNonNull(place.toAbsolutePath().getParent());
    Path aside = parent.resolve("." + place.getFileName() + "." + UUID.randomUUID());
    Files.createDirectory(aside);
    return new ImageFiles(place.toAbsolutePath(), aside);
  }

  /** Says which runsc can read the image. */
  void note(String version) throws IOException {
    Files.writeString(aside.resolve(VERSION), version);
  }

  /** Fails when another version of runsc has written the image, which this one cannot read. */
  static void requireVersion(Path image, String version) {
    String written;
    try {
      written = Files.readString(image.resolve(VERSION));
    } catch (IOException e) {
      // Not ours, or no image at all: runsc will say so.
      return;
    }
    if (!written.equals(version)) {
      throw new AtollException(
          ErrorCode.SNAPSHOT_INCOMPATIBLE,
          "the state was written by runsc %s and this host has %s".formatted(written, version),
          "set gvisor.runsc to a runsc of that version to use it once more",
          Map.of("driver", "gvisor", "driverVersion", written),
          null);
    }
  }

  private void sync() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(aside)) {
      for (Path file : files) {
        sync(file, StandardOpenOption.WRITE);
      }
    }
    sync(aside, StandardOpenOption.READ);
  }

  /**
   * @param durable whether the image has to be there after the host has lost power
   */
  void publish(boolean durable) throws IOException {
    if (durable) {
      sync();
    }
    Files.move(aside, place, StandardCopyOption.ATOMIC_MOVE);
    if (durable) {
      sync(Objects.requireNonNull(place.getParent()), StandardOpenOption.READ);
    }
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
