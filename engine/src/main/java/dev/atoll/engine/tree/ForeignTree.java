package dev.atoll.engine.tree;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A tree that somebody else wrote, with paths resolved as a process would that has it as its root:
 * a symbolic link leads to a place in the tree, wherever it points, and {@code ..} ends at the
 * root. It is this class that reads links; the kernel follows none, because every directory on the
 * way is opened by its name in the one before it. Not thread-safe.
 */
public final class ForeignTree implements AutoCloseable {
  private static final int MOST_LINKS = 40;
  private static final int MOST_DEPTH = 256;
  private static final int MOST_PATH = 4095;
  private static final int MOST_OPEN = 64;

  private final TreeDirectory root;

  /** Open directories by where they really are, the one that was used last at the end. */
  private final Map<String, TreeDirectory> open = new LinkedHashMap<>(16, 0.75f, true);

  private ForeignTree(TreeDirectory root) {
    this.root = root;
  }

  public static ForeignTree open(Path root) throws IOException {
    return new ForeignTree(TreeDirectory.open(root));
  }

  /**
   * A name in a directory of the tree; of use until the tree is asked for the next one.
   *
   * @param folder where the directory really is, without links; empty for the root
   */
  public record Place(TreeDirectory directory, String folder, String name) {
    /** Where it really is. */
    public String path() {
      return folder.isEmpty() ? name : folder + "/" + name;
    }

    /** What is there; null if nothing is. */
    public @Nullable FileStatus status() throws IOException {
      return directory.status(name);
    }
  }

  /** A path without empty names and dots; bounded in length and depth. */
  public static String normalized(String path) throws PathException {
    if (path.length() > MOST_PATH) {
      throw new PathException(
          path, "a path of %d bytes, at most %d".formatted(path.length(), MOST_PATH));
    }
    Deque<String> names = new ArrayDeque<>();
    push(names, path);
    requireDepth(path, names.size());
    return String.join("/", names);
  }

  /** Where a file of that path belongs; its directory is made if it is not there. */
  public Place place(String path) throws IOException {
    Place place = resolve(path, true);
    if (place == null) {
      throw new PathException(path, "this names no file");
    }
    return place;
  }

  /** Where a file of that path is or would be; null if its directory is not there. */
  public @Nullable Place find(String path) throws IOException {
    return resolve(path, false);
  }

  private @Nullable Place resolve(String path, boolean make) throws IOException {
    String plain = normalized(path);
    int slash = plain.lastIndexOf('/');
    String name = plain.substring(slash + 1);
    if (name.isEmpty() || name.equals("..")) {
      return null;
    }
    String folder = walk(slash < 0 ? "" : plain.substring(0, slash), make);
    return folder == null ? null : new Place(directory(folder), folder, name);
  }

  /** The directory of a path; null if it is not there. Of use until the next one is asked for. */
  public @Nullable TreeDirectory findDirectory(String path) throws IOException {
    String folder = walk(normalized(path), false);
    return folder == null ? null : directory(folder);
  }

  /** The directory of a path, made if it is not there; what is in its way goes. */
  public TreeDirectory makeDirectories(String path) throws IOException {
    String folder = walk(normalized(path), true);
    if (folder == null) {
      throw new PathException(path, "this names no directory");
    }
    return directory(folder);
  }

  /**
   * A directory that was found or made before, if it is the same one still; no link leads to it.
   */
  public @Nullable TreeDirectory same(String folder, long inode) throws IOException {
    TreeDirectory directory;
    try {
      directory = directory(folder);
    } catch (PathException e) {
      return null;
    }
    return directory.status().inode() == inode ? directory : null;
  }

  /** Makes room: whatever is there goes, with all that is in it. */
  public void clear(Place place) throws IOException {
    forget(place.path());
    place.directory().remove(place.name());
  }

  /** A directory at a place; one that is there already stays, anything else goes. */
  public void makeDirectory(Place place) throws IOException {
    FileStatus status = place.status();
    if (status == null || !status.isDirectory()) {
      clear(place);
      place.directory().makeDirectory(place.name());
    }
  }

  /** Gives a file of the tree, and nothing else, a second name; what is there goes. */
  public void makeSame(String path, String existing) throws IOException {
    Place first = find(existing);
    FileStatus status = first == null ? null : first.status();
    if (first == null || status == null || !status.isFile()) {
      throw new PathException(path, "a link to something that is no file");
    }
    try (TreeDirectory folder = first.directory().again()) {
      Place place = place(path);
      FileStatus there = place.status();
      if (there != null && there.isSameAs(status)) {
        return;
      }
      clear(place);
      place.directory().makeSame(place.name(), folder, first.name());
    }
  }

  /** The beginning of a regular file; null if there is none at that path. */
  public byte @Nullable [] read(String path, int most) throws IOException {
    Place place = behindLinks(path);
    FileStatus status = place == null ? null : place.status();
    if (place == null || status == null || !status.isFile()) {
      return null;
    }
    try (InputStream in = place.directory().read(place.name())) {
      return in.readNBytes(most);
    }
  }

  /** Where a file or directory really is, without links; null if there is none at that path. */
  public @Nullable String real(String path) throws IOException {
    Place place = behindLinks(path);
    return place == null || place.status() == null ? null : place.path();
  }

  private @Nullable Place behindLinks(String path) throws IOException {
    Place place = find(path);
    for (int links = 0; place != null; links++) {
      FileStatus status = place.status();
      if (status == null || !status.isLink()) {
        return place;
      }
      if (links == MOST_LINKS) {
        throw new PathException(path, "it goes through more than " + MOST_LINKS + " links");
      }
      String target = place.directory().target(place.name());
      place = find(target.startsWith("/") ? target : place.folder() + "/" + target);
    }
    return null;
  }

  /** Writes a new file; what is there goes. */
  public void write(String path, byte[] content, int mode) throws IOException {
    Place place = place(path);
    clear(place);
    try (TreeFileOutput out = place.directory().create(place.name())) {
      out.write(content);
      out.setMode(mode);
    }
  }

  private @Nullable String walk(String path, boolean make) throws IOException {
    Deque<String> names = new ArrayDeque<>();
    push(names, path);
    String current = "";
    int links = 0;
    while (!names.isEmpty()) {
      String name = names.removeFirst();
      if (name.equals("..")) {
        current = parent(current);
        continue;
      }
      String next = current.isEmpty() ? name : current + "/" + name;
      if (enter(current, next, name)) {
        current = next;
        continue;
      }
      TreeDirectory here = directory(current);
      FileStatus status = here.status(name);
      if (status != null && status.isLink()) {
        String target = here.target(name);
        if (++links > MOST_LINKS || names.size() > MOST_DEPTH) {
          throw new PathException(path, "it goes through more than " + MOST_LINKS + " links");
        }
        current = target.startsWith("/") ? "" : current;
        push(names, target);
      } else if (!make) {
        return null;
      } else {
        requireDepth(path, depth(next));
        here.remove(name);
        here.makeDirectory(name);
        current = next;
      }
    }
    return current;
  }

  private boolean enter(String current, String next, String name) throws IOException {
    if (open.get(next) != null) {
      return true;
    }
    TreeDirectory child = directory(current).directory(name);
    if (child == null) {
      return false;
    }
    keep(next, child);
    return true;
  }

  /** By where it really is: a link on the way is an error. */
  private TreeDirectory directory(String folder) throws IOException {
    if (folder.isEmpty()) {
      return root;
    }
    TreeDirectory known = open.get(folder);
    if (known != null) {
      return known;
    }
    TreeDirectory child =
        directory(parent(folder)).directory(folder.substring(folder.lastIndexOf('/') + 1));
    if (child == null) {
      throw new PathException(folder, "this is no directory");
    }
    keep(folder, child);
    return child;
  }

  private void keep(String folder, TreeDirectory directory) {
    open.put(folder, directory);
    if (open.size() > MOST_OPEN) {
      Iterator<TreeDirectory> eldest = open.values().iterator();
      eldest.next().close();
      eldest.remove();
    }
  }

  private void forget(String path) {
    open.entrySet()
        .removeIf(
            entry -> {
              boolean gone = entry.getKey().equals(path) || entry.getKey().startsWith(path + "/");
              if (gone) {
                entry.getValue().close();
              }
              return gone;
            });
  }

  private static String parent(String folder) {
    int slash = folder.lastIndexOf('/');
    return slash < 0 ? "" : folder.substring(0, slash);
  }

  private static int depth(String folder) {
    return (int) folder.chars().filter(c -> c == '/').count() + 1;
  }

  private static void requireDepth(String path, int depth) throws PathException {
    if (depth > MOST_DEPTH) {
      throw new PathException(path, "a path of %d names, at most %d".formatted(depth, MOST_DEPTH));
    }
  }

  private static void push(Deque<String> names, String path) {
    String[] parts = path.split("/", -1);
    for (int i = parts.length - 1; i >= 0; i--) {
      if (!parts[i].isEmpty() && !parts[i].equals(".")) {
        names.addFirst(parts[i]);
      }
    }
  }

  @Override
  public void close() {
    open.values().forEach(TreeDirectory::close);
    open.clear();
    root.close();
  }
}
