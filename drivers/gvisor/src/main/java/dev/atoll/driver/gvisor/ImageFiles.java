package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * A checkpoint's directory in the making: written beside its place, synced if it is to last, and
 * then renamed, so that the directory is complete from the moment it can be seen.
 */
record ImageFiles(Path place, Path aside) implements AutoCloseable {
  static final String VERSION = "runsc-version";
  private static final String PAGES = "pages.img";
  private static final String PAGES_SIZE = "pages-size";
  private static final String READABLE = "rw-r--r--";

  /** What runsc calls the parts of an image. */
  private static final List<String> IMAGE = List.of("checkpoint.img", PAGES, "pages_meta.img");

  static ImageFiles beside(Path place) throws IOException {
    if (Files.exists(place)) {
      throw new FileAlreadyExistsException(place.toString());
    }
    Path parent = Objects.requireNonNull(place.toAbsolutePath().getParent());
    Path aside = parent.resolve("." + place.getFileName() + "." + UUID.randomUUID());
    Files.createDirectory(aside);
    return new ImageFiles(place.toAbsolutePath(), aside);
  }

  /**
   * Takes over what a machine has written in a folder of its own, complete or not. Nobody is
   * believed: the folder is moved out of the machine's reach, which fails for anything but a
   * folder, and made the server's, so that no name in it can change any more.
   */
  void adopt(Path written) throws IOException {
    if (!Files.exists(written, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.move(written, aside, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    give(aside, "rwx------");
  }

  /**
   * Fails unless there is nothing but files that only this image has, and makes them the server's.
   */
  void verify() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(aside)) {
      for (Path file : files) {
        Map<String, Object> about =
            Files.readAttributes(file, "unix:isRegularFile,nlink", LinkOption.NOFOLLOW_LINKS);
        if (!IMAGE.contains(file.getFileName().toString())
            || !Boolean.TRUE.equals(about.get("isRegularFile"))
            || !Integer.valueOf(1).equals(about.get("nlink"))) {
          throw new IOException(
              "the machine wrote " + file.getFileName() + ", no part of an image");
        }
        give(file, READABLE);
      }
    }
  }

  /** Safe: the path's folder is the server's own, and what it names is no link. */
  private static void give(Path path, String permissions) throws IOException {
    Files.setAttribute(path, "unix:uid", 0, LinkOption.NOFOLLOW_LINKS);
    Files.setAttribute(path, "unix:gid", 0, LinkOption.NOFOLLOW_LINKS);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }

  /**
   * Puts an image's files where a machine can read them. They stay the server's, so that the
   * machine cannot change them; others than this machine reach none of the folders.
   */
  static void link(Path image, Path folder) throws IOException {
    for (String name : IMAGE) {
      Path file = image.resolve(name);
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        continue;
      }
      if (!Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(READABLE));
      }
      try {
        Files.createLink(folder.resolve(name), file);
      } catch (FileSystemException e) {
        // Another file system, or one that links no more.
        Files.copy(file, folder.resolve(name), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  /** Takes the files away from a machine that has read them. */
  static void unlink(Path folder) throws IOException {
    for (String name : IMAGE) {
      Files.deleteIfExists(folder.resolve(name));
    }
  }

  /** Says which runsc can read the image, and how long its pages are. */
  void note(String version) throws IOException {
    Files.writeString(aside.resolve(VERSION), version);
    Path pages = aside.resolve(PAGES);
    if (Files.exists(pages)) {
      Files.writeString(aside.resolve(PAGES_SIZE), Long.toString(Files.size(pages)));
    }
  }

  /**
   * Whether the pages can be read after the guest has begun to go on: pages that are missing would
   * only be missed then.
   *
   * @return false if the image does not say how long they are, as earlier ones
   * @throws IOException if some are missing
   */
  static boolean hasAllPages(Path image) throws IOException {
    Path size = image.resolve(PAGES_SIZE);
    if (!Files.exists(size)) {
      return false;
    }
    String expected = Files.readString(size);
    long found = Files.size(image.resolve(PAGES));
    if (!expected.equals(Long.toString(found))) {
      throw new IOException(
          "%s has %d bytes instead of %s".formatted(image.resolve(PAGES), found, expected));
    }
    return true;
  }

  /** The version of runsc that has written an image; empty when it does not say. */
  static Optional<String> version(Path image) {
    try {
      return Optional.of(Files.readString(image.resolve(VERSION)));
    } catch (IOException e) {
      // Not ours, or no image at all: runsc will say so.
      return Optional.empty();
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
