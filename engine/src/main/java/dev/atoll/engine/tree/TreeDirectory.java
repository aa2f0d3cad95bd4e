package dev.atoll.engine.tree;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open directory of a tree. Everything is done to one name in it, by the directory's descriptor,
 * and links are never followed; so whatever a stranger has put where, nothing outside of the
 * directory is read or changed. Not thread-safe.
 */
public final class TreeDirectory implements AutoCloseable {
  private static final int MOST_TARGET = 4096;
  private static final int LIST_BYTES = 1 << 15;
  private static final int NAME_OFFSET = 19;
  private static final int LENGTH_OFFSET = 16;
  private static final int NEW_DIRECTORY = 0755;
  private static final int NEW_FILE = 0600;

  private final int descriptor;
  private boolean closed;

  private TreeDirectory(int descriptor) {
    this.descriptor = descriptor;
  }

  /** Opens the root of a tree, whose path is the server's own; it may not be a link itself. */
  public static TreeDirectory open(Path root) throws IOException {
    String path = NameText.of(root.toAbsolutePath().toString());
    int flags = SystemCalls.O_RDONLY | SystemCalls.O_DIRECTORY | SystemCalls.O_NOFOLLOW;
    return new TreeDirectory(Failures.check(SystemCalls.openOwn(path, flags), path));
  }

  /** Makes the empty root of a tree; everybody may look into it, whatever the umask says. */
  public static Path makeRoot(Path root) throws IOException {
    Files.createDirectory(root);
    try (TreeDirectory made = open(root)) {
      int _ = Failures.check(SystemCalls.chmod(made.descriptor, NEW_DIRECTORY), root.toString());
    }
    return root;
  }

  /** A directory in this one; null if there is none of that name, of which a link is none. */
  public @Nullable TreeDirectory directory(String name) throws IOException {
    int flags = SystemCalls.O_RDONLY | SystemCalls.O_DIRECTORY | SystemCalls.O_NOFOLLOW;
    int opened = SystemCalls.openBeneath(use(), NameText.requireName(name), flags, 0);
    return switch (-opened) {
      case SystemCalls.ENOENT, SystemCalls.ENOTDIR, SystemCalls.ELOOP -> null;
      default -> new TreeDirectory(Failures.check(opened, name));
    };
  }

  /** The same directory once more, to be closed on its own. */
  TreeDirectory again() throws IOException {
    int flags = SystemCalls.O_RDONLY | SystemCalls.O_DIRECTORY;
    return new TreeDirectory(Failures.check(SystemCalls.openBeneath(use(), ".", flags, 0), "."));
  }

  /** What is at a name; null if nothing is. */
  public @Nullable FileStatus status(String name) throws IOException {
    return statusOf(use(), NameText.requireName(name));
  }

  /** Of the directory itself. */
  public FileStatus status() throws IOException {
    FileStatus status = statusOf(use(), "");
    if (status == null) {
      throw new IOException("an open directory is gone");
    }
    return status;
  }

  static @Nullable FileStatus statusOf(int descriptor, String name) throws IOException {
    @Nullable FileStatus[] found = new FileStatus[1];
    int result = SystemCalls.status(descriptor, name, buffer -> found[0] = parsed(buffer));
    if (result == -SystemCalls.ENOENT || result == -SystemCalls.ENOTDIR) {
      return null;
    }
    int _ = Failures.check(result, name);
    return found[0];
  }

  /** The places of struct statx, which are the same on every architecture. */
  private static FileStatus parsed(MemorySegment status) {
    return new FileStatus(
        status.get(ValueLayout.JAVA_SHORT, 28) & 0xffff,
        status.get(ValueLayout.JAVA_INT, 20),
        status.get(ValueLayout.JAVA_INT, 24),
        status.get(ValueLayout.JAVA_LONG, 40),
        status.get(ValueLayout.JAVA_INT, 16),
        ((long) status.get(ValueLayout.JAVA_INT, 136) << 32)
            | (status.get(ValueLayout.JAVA_INT, 140) & 0xffffffffL),
        status.get(ValueLayout.JAVA_LONG, 32),
        Instant.ofEpochSecond(
            status.get(ValueLayout.JAVA_LONG, 112), status.get(ValueLayout.JAVA_INT, 120)));
  }

  /** The names in it, in no order. */
  public List<String> names() throws IOException {
    List<String> names = new ArrayList<>();
    // A descriptor of its own, because a second reading would go on where the first one ended.
    try (TreeDirectory reader = again();
        Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(LIST_BYTES, Long.BYTES);
      while (true) {
        long length = SystemCalls.entries(reader.descriptor, buffer);
        if (length == 0) {
          return names;
        }
        add(names, buffer.asSlice(0, Failures.check(length, ".")));
      }
    }
  }

  private static void add(List<String> names, MemorySegment entries) {
    long offset = 0;
    while (offset < entries.byteSize()) {
      int length = entries.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset + LENGTH_OFFSET) & 0xffff;
      String name = entries.getString(offset + NAME_OFFSET, StandardCharsets.ISO_8859_1);
      if (!name.equals(".") && !name.equals("..")) {
        names.add(name);
      }
      offset += length;
    }
  }

  /** Where a symbolic link points. */
  public String target(String name) throws IOException {
    byte[] target = new byte[MOST_TARGET];
    int length =
        Failures.check(SystemCalls.readlink(use(), NameText.requireName(name), target), name);
    return new String(target, 0, length, StandardCharsets.ISO_8859_1);
  }

  /** Reads a regular file; anything else there is an error, and is not waited for. */
  public TreeFileInput read(String name) throws IOException {
    FileStatus status = status(name);
    if (status != null && !status.isFile()) {
      throw new PathException(name, "this is no file");
    }
    int flags = SystemCalls.O_RDONLY | SystemCalls.O_NOFOLLOW | SystemCalls.O_NONBLOCK;
    int opened = Failures.check(SystemCalls.openBeneath(use(), name, flags, 0), name);
    return new TreeFileInput(opened, name);
  }

  /** Makes a new file, for its owner alone until it is given attributes. */
  public TreeFileOutput create(String name) throws IOException {
    int flags =
        SystemCalls.O_WRONLY | SystemCalls.O_CREAT | SystemCalls.O_EXCL | SystemCalls.O_NOFOLLOW;
    int opened = SystemCalls.openBeneath(use(), NameText.requireName(name), flags, NEW_FILE);
    return new TreeFileOutput(Failures.check(opened, name), name);
  }

  /** Makes a directory where nothing is; everybody may look into it, whatever the umask says. */
  public void makeDirectory(String name) throws IOException {
    int made = SystemCalls.mkdir(use(), NameText.requireName(name), NEW_DIRECTORY);
    int _ = Failures.check(made, name);
    try (TreeDirectory directory = directory(name)) {
      if (directory == null) {
        throw new PathException(name, "this is no directory");
      }
      int _ = Failures.check(SystemCalls.chmod(directory.descriptor, NEW_DIRECTORY), name);
    }
  }

  /** Makes a symbolic link where nothing is; its target is a text and nothing else here. */
  public void makeLink(String name, String target) throws IOException {
    if (target.isEmpty() || target.length() >= MOST_TARGET || target.indexOf('\0') >= 0) {
      throw new PathException(
          name, "a link to a path of %d bytes, or with a zero byte".formatted(target.length()));
    }
    int _ = Failures.check(SystemCalls.symlink(target, use(), NameText.requireName(name)), name);
  }

  /** Gives a file a second name here, where nothing is. */
  public void makeSame(String name, TreeDirectory of, String existing) throws IOException {
    int result =
        SystemCalls.link(
            of.use(), NameText.requireName(existing), use(), NameText.requireName(name));
    int _ = Failures.check(result, name);
  }

  /** Removes what is at a name, with all that is in it. */
  public void remove(String name) throws IOException {
    int result = SystemCalls.unlink(use(), NameText.requireName(name), 0);
    if (result == -SystemCalls.EISDIR) {
      try (TreeDirectory child = directory(name)) {
        if (child != null) {
          child.clear();
        }
      }
      result = SystemCalls.unlink(use(), name, SystemCalls.AT_REMOVEDIR);
    }
    if (result != -SystemCalls.ENOENT) {
      int _ = Failures.check(result, name);
    }
  }

  /** Removes all that is in it. */
  public void clear() throws IOException {
    for (String name : names()) {
      remove(name);
    }
  }

  /** Sets what the directory itself has. */
  public void set(FileAttributes attributes) throws IOException {
    set(use(), ".", attributes);
  }

  /** Sets what a regular file has; anything else there is an error. */
  public void setOfFile(String name, FileAttributes attributes) throws IOException {
    try (TreeFileInput file = read(name)) {
      file.set(attributes);
    }
  }

  /** Sets what a symbolic link has, which are no permissions; not of what it leads to. */
  public void setOfLink(String name, FileAttributes attributes) throws IOException {
    FileStatus status = status(name);
    if (status == null || !status.isLink()) {
      throw new PathException(name, "this is no link");
    }
    chown(use(), name, name, status, attributes);
    Instant time = attributes.modified();
    int _ =
        Failures.check(SystemCalls.times(use(), name, time.getEpochSecond(), time.getNano()), name);
  }

  static void set(int descriptor, String name, FileAttributes attributes) throws IOException {
    FileStatus status = statusOf(descriptor, "");
    if (status == null) {
      throw new IOException("an open file is gone");
    }
    chown(descriptor, "", name, status, attributes);
    // After the owner, because a change of owner clears the set-user-id bit.
    int _ = Failures.check(SystemCalls.chmod(descriptor, attributes.mode()), name);
    Instant time = attributes.modified();
    int _ =
        Failures.check(
            SystemCalls.times(descriptor, "", time.getEpochSecond(), time.getNano()), name);
  }

  /** An ordinary user cannot give files away; one who need not is not asked to. */
  private static void chown(
      int descriptor, String name, String shown, FileStatus status, FileAttributes wanted)
      throws IOException {
    if (status.uid() != wanted.uid() || status.gid() != wanted.gid()) {
      int result = SystemCalls.chown(descriptor, name, wanted.uid(), wanted.gid());
      int _ = Failures.check(result, shown);
    }
  }

  private int use() {
    if (closed) {
      throw new IllegalStateException("the directory was closed");
    }
    return descriptor;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      SystemCalls.close(descriptor);
    }
  }
}
