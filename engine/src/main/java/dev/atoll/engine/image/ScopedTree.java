package dev.atoll.engine.image;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A tree whose paths are resolved as a process would that has it as its root: a symbolic link leads
 * to a place in the tree, wherever it points, and {@code ..} ends at the root. Paths are in the
 * encoding of {@link RawName}.
 *
 * <p>Safe because each name is looked at without following links before the kernel is given a path
 * that goes through it, and nobody else changes the tree.
 */
final class ScopedTree {
  private static final int MOST_LINKS = 40;
  private static final int MOST_DEPTH = 256;

  private final Path root;
  // Directories that were looked at; forgotten whenever something is removed.
  private final Map<String, Path> known = new HashMap<>();

  ScopedTree(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  /** A path without empty names and dots, from bytes as they are in an archive. */
  static String encoded(byte[] path) {
    List<String> names =
        Arrays.stream(escaped(path).split("/", -1))
            .filter(name -> !name.isEmpty() && !name.equals("."))
            .toList();
    if (names.size() > MOST_DEPTH) {
      throw TarOverlay.invalid("a path with more than " + MOST_DEPTH + " names");
    }
    return String.join("/", names);
  }

  /** Bytes as text of a URI. */
  static String escaped(byte[] bytes) {
    StringBuilder text = new StringBuilder(bytes.length);
    for (byte b : bytes) {
      char c = (char) (b & 0xff);
      boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (plain || "-._~/!$&'()*+,;=:@".indexOf(c) >= 0) {
        text.append(c);
      } else {
        text.append('%').append(String.format(Locale.ROOT, "%02X", (int) c));
      }
    }
    return text.toString();
  }

  /** Where a file of that path belongs; its directory is made if it is not there. */
  Path place(String path) throws IOException {
    int slash = path.lastIndexOf('/');
    Path folder = directory(slash < 0 ? "" : path.substring(0, slash), true);
    String name = path.substring(slash + 1);
    if (folder == null || name.equals("..")) {
      throw TarOverlay.invalid("'" + path + "' names no file");
    }
    return RawName.in(folder, name);
  }

  /** Where a file of that path is or would be; nothing is made. */
  @Nullable Path find(String path) throws IOException {
    int slash = path.lastIndexOf('/');
    Path folder = directory(slash < 0 ? "" : path.substring(0, slash), false);
    String name = path.substring(slash + 1);
    return folder == null || name.isEmpty() || name.equals("..") ? null : RawName.in(folder, name);
  }

  void makeDirectory(Path file) throws IOException {
    if (!isDirectory(file)) {
      clear(file);
      Files.createDirectory(file);
    }
  }

  void remove(String path) throws IOException {
    Path file = find(path);
    if (file != null) {
      clear(file);
    }
  }

  /** Removes all that is in a directory, except for those files. */
  void clearExcept(String folder, Set<Path> kept) throws IOException {
    Path directory =
        directory(folder.endsWith("/") ? folder.substring(0, folder.length() - 1) : folder, false);
    if (directory == null) {
      return;
    }
    try (DirectoryStream<Path> children = Files.newDirectoryStream(directory)) {
      for (Path child : children) {
        if (kept.stream().noneMatch(file -> file.startsWith(child))) {
          clear(child);
        }
      }
    }
  }

  /** Makes room: whatever is there goes, with all that is in it; links are not followed. */
  void clear(Path file) throws IOException {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    known.clear();
    Files.walkFileTree(
        file,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path one, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(one);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path one, @Nullable IOException failure)
              throws IOException {
            Files.delete(one);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  static boolean isDirectory(Path file) {
    return Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS);
  }

  static boolean isFile(Path file) {
    return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
  }

  private @Nullable Path directory(String path, boolean make) throws IOException {
    Path cached = known.get(path);
    if (cached != null) {
      return cached;
    }
    Deque<String> names = new ArrayDeque<>();
    push(names, path);
    Path current = root;
    int links = 0;
    while (!names.isEmpty()) {
      String name = names.removeFirst();
      if (name.equals("..")) {
        current = current.equals(root) ? root : parent(current);
        continue;
      }
      Path next = RawName.in(current, name);
      if (Files.isSymbolicLink(next)) {
        String target = RawName.ofTarget(Files.readSymbolicLink(next));
        if (++links > MOST_LINKS || names.size() > MOST_DEPTH) {
          throw TarOverlay.invalid("'" + path + "' goes through too many links");
        }
        current = target.startsWith("/") ? root : current;
        push(names, target);
      } else if (isDirectory(next)) {
        current = next;
      } else if (!make) {
        return null;
      } else {
        clear(next);
        current = Files.createDirectory(next);
      }
    }
    known.put(path, current);
    return current;
  }

  private static Path parent(Path path) {
    Path parent = path.getParent();
    return parent == null ? path : parent;
  }

  private static void push(Deque<String> names, String path) {
    String[] parts = path.split("/", -1);
    for (int i = parts.length - 1; i >= 0; i--) {
      if (!parts[i].isEmpty() && !parts[i].equals(".")) {
        names.addFirst(parts[i]);
      }
    }
  }
}
