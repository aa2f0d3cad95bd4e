package dev.atoll.engine.image;

import dev.atoll.engine.tree.NameText;
import dev.atoll.engine.tree.TreeDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Every change that the store makes to files, in one place, so that a test can stop between any two
 * of them. Failures are {@link UncheckedIOException}s.
 */
class Disk {
  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  /** Called before each step that a crash could come before; for tests. */
  void before(String step, Path path) {}

  /** Creates the folder and what is missing above it, for its owner alone. */
  final void makeFolder(Path folder) {
    before("make", folder);
    unchecked(() -> Files.createDirectories(folder, PRIVATE));
  }

  final void rename(Path from, Path to) {
    before("rename", to);
    unchecked(() -> Files.move(from, to, StandardCopyOption.ATOMIC_MOVE));
  }

  /** Makes the content of a file, or the names in a directory, survive a power failure. */
  final void sync(Path path) {
    before("sync", path);
    unchecked(
        () -> {
          try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
          }
          return path;
        });
  }

  /** Writes a new file; its content is not synced. */
  final void write(Path file, byte[] content) {
    unchecked(
        () -> {
          before("create", file);
          try (FileChannel channel = create(file)) {
            int half = content.length / 2;
            writeAll(channel, ByteBuffer.wrap(content, 0, half));
            before("write", file);
            writeAll(channel, ByteBuffer.wrap(content, half, content.length - half));
          }
          return file;
        });
  }

  /** Opens a new file for writing, in place of one that an earlier attempt may have left. */
  final FileChannel create(Path file) throws IOException {
    return FileChannel.open(
        file,
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE);
  }

  /** Copies within the kernel, and shares the blocks where the file system can. */
  final void copy(FileChannel from, long offset, long length, FileChannel to, Path target) {
    before("copy", target);
    unchecked(
        () -> {
          long done = 0;
          while (done < length) {
            long copied = from.transferTo(offset + done, length - done, to);
            if (copied <= 0) {
              throw new IOException(
                  "no byte at %d, expected %d at %d".formatted(offset + done, length, offset));
            }
            done += copied;
          }
          return target;
        });
  }

  final void deleteFile(Path file) {
    before("delete", file);
    unchecked(() -> Files.deleteIfExists(file));
  }

  /** Removes a tree, if it is there; symbolic links in it are removed, not followed. */
  final void deleteTree(Path tree) {
    if (Files.notExists(tree, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Path name = tree.getFileName();
    unchecked(
        () -> {
          try (TreeDirectory folder = TreeDirectory.open(tree.resolveSibling(""))) {
            remove(folder, NameText.of(name.toString()), tree);
          }
          return tree;
        });
  }

  /** By descriptors: a stranger may have written the tree. */
  private void remove(TreeDirectory folder, String name, Path tree) throws IOException {
    try (TreeDirectory directory = folder.directory(name)) {
      if (directory != null) {
        for (String child : directory.names()) {
          remove(directory, child, tree);
        }
      }
    }
    before("delete", tree);
    folder.remove(name);
  }

  /** The entries of a directory by name; none if it is not there. */
  static List<Path> list(Path directory) {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return List.of();
    }
    return unchecked(
        () -> {
          try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
          }
        });
  }

  private static void writeAll(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /** Something that reads or changes files. */
  @FunctionalInterface
  interface Access<T> {
    T run() throws IOException;
  }

  static <T> T unchecked(Access<T> access) {
    try {
      return access.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
