package dev.atoll.engine.cache;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of the cache and their bound.
 *
 * <pre>
 * files/KEY    a package, named by what its index promises
 * pages/KEY    a page of an index, named by its address
 * aside/       what is being written; emptied at the start
 * </pre>
 *
 * A file appears under its name when it is whole and on disk. Its time of change says when it was
 * last used or found to be valid; the oldest go first. Thread-safe.
 */
final class CacheFolder {
  private static final Logger LOG = LoggerFactory.getLogger(CacheFolder.class);

  private final Path files;
  private final Path pages;
  private final Path aside;
  private final long maxBytes;
  private long bytes;

  CacheFolder(Path folder, long maxBytes) throws IOException {
    this.files = Files.createDirectories(folder.resolve("files"));
    this.pages = Files.createDirectories(folder.resolve("pages"));
    this.aside = Files.createDirectories(folder.resolve("aside"));
    this.maxBytes = maxBytes;
    for (Kept left : list(aside)) {
      Files.deleteIfExists(left.file());
    }
    this.bytes = all().stream().mapToLong(Kept::size).sum();
    makeRoom(folder);
  }

  private record Kept(Path file, long size, Instant used) {}

  Path file(String key) {
    return files.resolve(key);
  }

  Path page(String key) {
    return pages.resolve(key);
  }

  /** The pages whose keys begin so. */
  List<Path> pages(String prefix) throws IOException {
    return list(pages).stream()
        .map(Kept::file)
        .filter(file -> String.valueOf(file.getFileName()).startsWith(prefix))
        .toList();
  }

  /** When a file was last used. */
  static Instant used(Path file) {
    try {
      return Files.getLastModifiedTime(file).toInstant();
    } catch (IOException e) {
      return Instant.MIN;
    }
  }

  /** A new file to write to, which is moved to its place or deleted. */
  Path begin() throws IOException {
    return Files.createTempFile(aside, "", "");
  }

  /** Puts a whole file in its place. */
  void keep(Path written, Path place) throws IOException {
    try (FileChannel channel = FileChannel.open(written, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    synchronized (this) {
      long replaced = size(place);
      Files.move(written, place, StandardCopyOption.ATOMIC_MOVE);
      bytes += size(place) - replaced;
      makeRoom(place);
    }
    try (FileChannel folder = FileChannel.open(place.getParent())) {
      folder.force(true);
    }
  }

  synchronized void drop(Path place) throws IOException {
    long size = size(place);
    if (Files.deleteIfExists(place)) {
      bytes -= size;
    }
  }

  /** Notes that a file was used, or a page found to be valid, now. */
  static void touch(Path place) {
    try {
      Files.setLastModifiedTime(place, FileTime.from(Instant.now()));
    } catch (IOException e) {
      // It has just made room for another.
    }
  }

  synchronized long bytes() {
    return bytes;
  }

  /** What was put last stays, however large it is: somebody is about to read it. */
  private synchronized void makeRoom(Path last) throws IOException {
    if (bytes <= maxBytes) {
      return;
    }
    List<Kept> oldest = all();
    oldest.sort(Comparator.comparing(Kept::used));
    // A little more than needed, so that the next file need not look again.
    long target = maxBytes - maxBytes / 20;
    long removed = 0;
    for (Kept one : oldest) {
      if (bytes <= target) {
        break;
      }
      if (!one.file().equals(last)) {
        drop(one.file());
        removed++;
      }
    }
    LOG.info("the package cache was full; {} files made room", removed);
  }

  private List<Kept> all() throws IOException {
    List<Kept> all = list(files);
    all.addAll(list(pages));
    return all;
  }

  private static List<Kept> list(Path folder) throws IOException {
    List<Kept> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        found.add(new Kept(entry, size(entry), Files.getLastModifiedTime(entry).toInstant()));
      }
    }
    return found;
  }

  private static long size(Path place) throws IOException {
    try {
      return Files.size(place);
    } catch (NoSuchFileException e) {
      return 0;
    }
  }
}
