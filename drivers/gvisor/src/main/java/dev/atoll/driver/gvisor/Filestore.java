package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The file that holds what a guest wrote. gVisor unlinks it as soon as it is open, so it is found
 * among the open files of the machine's processes.
 */
final class Filestore {
  private final Path folder;
  private final Cgroup group;
  private volatile @Nullable Path found;

  Filestore(Path folder, Cgroup group) {
    this.folder = folder;
    this.group = group;
  }

  /** Bytes on disk; 0 while there is no such file, before the start and after the end. */
  long allocatedBytes() {
    Path file = found;
    if (file == null) {
      file = find().orElse(null);
      found = file;
    }
    try {
      return file == null ? 0 : DiskBlocks.allocated(file);
    } catch (IOException e) {
      found = null;
      return 0;
    }
  }

  private Optional<Path> find() {
    for (long pid : group.members()) {
      Optional<Path> file = findIn(Path.of("/proc", Long.toString(pid), "fd"));
      if (file.isPresent()) {
        return file;
      }
    }
    return Optional.empty();
  }

  /**
   * Looks for a descriptor that was opened in our folder. Files of the guest do not match: the
   * sandbox reaches them below a root of its own, and never through this folder.
   */
  private Optional<Path> findIn(Path descriptors) {
    try (DirectoryStream<Path> open = Files.newDirectoryStream(descriptors)) {
      for (Path descriptor : open) {
        if (opened(descriptor).startsWith(folder)) {
          return Optional.of(descriptor);
        }
      }
    } catch (IOException e) {
      // The process has ended.
    }
    return Optional.empty();
  }

  private static Path opened(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor);
    } catch (NoSuchFileException e) {
      // Closed in the meantime.
      return Path.of("");
    }
  }
}
