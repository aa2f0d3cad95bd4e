package dev.atoll.driver.testkit;

import com.google.protobuf.ByteString;
import dev.atoll.protocol.wire.Entry;
import dev.atoll.protocol.wire.Failed;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The files of a fake guest: a map from absolute paths. */
final class FakeFiles implements Serializable {
  static final String HOME = "/home/sandbox";
  private static final int PERMISSIONS = 0777;

  private final TreeMap<String, Node> nodes = new TreeMap<>();

  /**
   * A file or, without content, a directory.
   *
   * @param zeros bytes that are counted but not kept
   */
  private record Node(@Nullable ByteString content, long zeros, int mode, long modifiedNanos)
      implements Serializable {
    boolean directory() {
      return content == null;
    }

    long size() {
      return content == null ? 0 : content.size() + zeros;
    }
  }

  /** What could not be done, as the protocol says it. */
  static final class Refusal extends RuntimeException {
    final Failed.Reason reason;

    Refusal(Failed.Reason reason, String message) {
      super(message);
      this.reason = reason;
    }
  }

  FakeFiles() {
    for (String folder : List.of("/", "/tmp", "/home", HOME)) {
      nodes.put(folder, folder(0));
    }
  }

  static String absolute(String path) {
    return Path.of(HOME).resolve(path).normalize().toString();
  }

  long bytes() {
    return nodes.values().stream().mapToLong(Node::size).sum();
  }

  ByteString read(String path) {
    ByteString content = get(path).content();
    if (content == null) {
      throw new Refusal(Failed.Reason.IS_A_DIRECTORY, path + " is a directory");
    }
    return content;
  }

  void write(String path, ByteString bytes, int mode, boolean parents, boolean append) {
    Node old = nodes.get(absolute(path));
    if (old != null && old.directory()) {
      throw new Refusal(Failed.Reason.IS_A_DIRECTORY, path + " is a directory");
    }
    ByteString before = old == null ? null : old.content();
    ByteString all = append && before != null ? before.concat(bytes) : bytes;
    int kept = old == null ? 0644 : old.mode();
    put(path, new Node(all, 0, mode == 0 ? kept : mode, now()), parents);
  }

  void writeZeros(String path, long size) {
    put(path, new Node(ByteString.EMPTY, size, 0644, now()), false);
  }

  void makeFolder(String path, int mode, boolean parents) {
    if (nodes.containsKey(absolute(path))) {
      throw new Refusal(Failed.Reason.ALREADY_EXISTS, path + " exists");
    }
    put(path, folder(mode), parents);
  }

  void remove(String path, boolean recursive) {
    Node node = get(path);
    Map<String, Node> below = below(path);
    if (node.directory() && !below.isEmpty() && !recursive) {
      throw new Refusal(Failed.Reason.DIRECTORY_NOT_EMPTY, path + " is not empty");
    }
    below.clear();
    nodes.remove(absolute(path));
  }

  void move(String from, String to, boolean overwrite) {
    Node node = get(from);
    if (nodes.containsKey(absolute(to)) && !overwrite) {
      throw new Refusal(Failed.Reason.ALREADY_EXISTS, to + " exists");
    }
    Map<String, Node> moved = new TreeMap<>(below(from));
    remove(from, true);
    put(to, node, false);
    int prefix = absolute(from).length();
    moved.forEach((path, child) -> nodes.put(absolute(to) + path.substring(prefix), child));
  }

  Entry stat(String path) {
    Node node = get(path);
    return Entry.newBuilder()
        .setPath(absolute(path))
        .setKind(node.directory() ? Entry.Kind.DIRECTORY : Entry.Kind.FILE)
        .setSize(node.size())
        .setMode(node.mode())
        .setModifiedNanos(node.modifiedNanos())
        .setOwner("sandbox")
        .build();
  }

  List<Entry> list(String path, int depth) {
    if (!get(path).directory()) {
      throw new Refusal(Failed.Reason.NOT_A_DIRECTORY, path + " is not a directory");
    }
    int base = Path.of(absolute(path)).getNameCount();
    List<Entry> entries = new ArrayList<>();
    for (String child : below(path).keySet()) {
      if (Path.of(child).getNameCount() - base <= Math.max(1, depth)) {
        entries.add(stat(child));
      }
    }
    return entries;
  }

  private NavigableMap<String, Node> below(String path) {
    String folder = absolute(path);
    String prefix = folder.equals("/") ? folder : folder + "/";
    return nodes.subMap(prefix, false, prefix + Character.MAX_VALUE, false);
  }

  private Node get(String path) {
    Node node = nodes.get(absolute(path));
    if (node == null) {
      throw new Refusal(Failed.Reason.NOT_FOUND, path + ": no such file or directory");
    }
    return node;
  }

  private void put(String path, Node node, boolean parents) {
    Path parent = Path.of(absolute(path)).getParent();
    if (parent != null) {
      Node found = nodes.get(parent.toString());
      if (found == null && parents) {
        put(parent.toString(), folder(0), true);
      } else if (found == null) {
        throw new Refusal(Failed.Reason.NOT_FOUND, parent + ": no such directory");
      } else if (!found.directory()) {
        throw new Refusal(Failed.Reason.NOT_A_DIRECTORY, parent + " is not a directory");
      }
    }
    nodes.put(absolute(path), node);
  }

  private static Node folder(int mode) {
    return new Node(null, 0, mode == 0 ? 0755 : mode & PERMISSIONS, now());
  }

  private static long now() {
    return System.currentTimeMillis() * 1_000_000;
  }
}
