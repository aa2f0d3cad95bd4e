package dev.atoll.driver.gvisor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file that holds what a guest wrote. gVisor unlinks it as soon as it is open, so it is found
 * among the open files of the machine's processes.
 */
final class Filestore {
  private final Set<Path> folders;
  private final Cgroup group;
  private volatile @Nullable Path found;

  /**
   * @param folders where the file was made, in the paths that the kernel may tell for it
   */
  Filestore(Set<Path> folders, Cgroup group) {
    this.folders = folders;
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
   * Looks for a descriptor of an unlinked file that was made in our folder. Files of the guest do
   * not match, whatever their names: on the host's read-only root file system none is unlinked. The
   * file is looked at by its descriptor, and never opened.
   */
  private Optional<Path> findIn(Path descriptors) {
    try (DirectoryStream<Path> open = Files.newDirectoryStream(descriptors)) {
      for (Path descriptor : open) {
        Path name = opened(descriptor);
        if (folders.stream().anyMatch(name::startsWith) && DiskBlocks.isUnlinked(descriptor)) {
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
