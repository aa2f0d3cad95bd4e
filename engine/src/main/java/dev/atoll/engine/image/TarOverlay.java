package dev.atoll.engine.image;

import dev.atoll.engine.tree.FileAttributes;
import dev.atoll.engine.tree.FileStatus;
import dev.atoll.engine.tree.ForeignTree;
import dev.atoll.engine.tree.PathException;
import dev.atoll.engine.tree.TreeDirectory;
import dev.atoll.engine.tree.TreeFileOutput;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.jspecify.annotations.Nullable;

/**
 * Lays archives that a stranger may have written over a tree, as root.
 *
 * <p>Safe because every place is found by {@link ForeignTree} and everything is done by descriptors
 * of directories, so that nothing outside of the root is reached. Files of the tree may be hard
 * links into other trees, so none is ever written in place: what an entry replaces is removed
 * first, and the attributes of a hard link are never set. Devices, sockets and pipes are passed
 * over, and so are extended attributes, access lists and capabilities. What an archive may have is
 * bounded by {@link UnpackBounds}.
 */
public final class TarOverlay implements AutoCloseable {
  private static final String WHITEOUT = ".wh.";
  private static final String OPAQUE = ".wh..wh..opq";
  private static final int PERMISSIONS = 07777;

  private final ForeignTree tree;
  private final UnpackBounds bounds;
  private long left;
  private int entries;

  /**
   * @param mostBytes that all files of all archives may have together
   */
  public TarOverlay(Path root, long mostBytes) throws IOException {
    this(root, UnpackBounds.of(mostBytes));
  }

  TarOverlay(Path root, UnpackBounds bounds) throws IOException {
    this.tree = ForeignTree.open(root);
    this.bounds = bounds;
    this.left = bounds.fileBytes();
  }

  /** Removes what is at a path; its bytes come as the characters 0 to 255. */
  public void remove(String path) throws IOException {
    ForeignTree.Place place = tree.find(path);
    if (place != null) {
      tree.clear(place);
    }
  }

  /** Lays an archive over the tree; it may be compressed with gzip or zstd. */
  public void apply(InputStream in) throws IOException {
    apply(in, null);
  }

  /** The same with a layer of an image, in which some names say what is to be removed. */
  public void applyLayer(InputStream in) throws IOException {
    apply(in, new TouchedPaths());
  }

  private void apply(InputStream in, @Nullable TouchedPaths touched) throws IOException {
    PendingDirectories directories = new PendingDirectories(bounds.directoryText());
    TarEntries tar = new TarEntries(in, bounds);
    for (TarArchiveEntry entry = tar.next(); entry != null; entry = tar.next()) {
      if (++entries > bounds.entries()) {
        throw TarEntries.invalid("it has more than " + bounds.entries() + " entries");
      }
      try {
        String path = ForeignTree.normalized(TarEntries.text(entry.getName()));
        String name = path.substring(path.lastIndexOf('/') + 1);
        if (touched != null && name.startsWith(WHITEOUT)) {
          whiteout(path, name, touched);
        } else if (!path.isEmpty()) {
          String place = add(tar, entry, path, directories);
          if (touched != null) {
            touched.add(place);
          }
        }
      } catch (PathException e) {
        throw TarEntries.invalid(entry, String.valueOf(e.getReason()));
      } catch (FileSystemException e) {
        throw new IOException(TarEntries.shown(entry) + ": " + e.getMessage(), e);
      }
    }
    // Last: creating files in them would change their times.
    directories.setAll(tree);
  }

  private String add(
      TarEntries tar, TarArchiveEntry entry, String path, PendingDirectories directories)
      throws IOException {
    ForeignTree.Place place = tree.place(path);
    if (entry.isDirectory()) {
      tree.makeDirectory(place);
      FileStatus made = place.status();
      if (made != null) {
        directories.add(place.path(), made.inode(), attributes(entry));
      }
    } else if (entry.isSymbolicLink()) {
      tree.clear(place);
      place.directory().makeLink(place.name(), target(TarEntries.text(entry.getLinkName())));
      place.directory().setOfLink(place.name(), attributes(entry));
    } else if (entry.isLink()) {
      tree.makeSame(path, TarEntries.text(entry.getLinkName()));
    } else if (!isSpecial(entry)) {
      write(tar, entry, place);
    }
    return place.path();
  }

  private static boolean isSpecial(TarArchiveEntry entry) {
    return entry.isBlockDevice() || entry.isCharacterDevice() || entry.isFIFO();
  }

  private void write(TarEntries tar, TarArchiveEntry entry, ForeignTree.Place place)
      throws IOException {
    FileAttributes attributes = attributes(entry);
    requireRoom(entry, entry.getRealSize());
    tree.clear(place);
    try (TreeFileOutput out = place.directory().create(place.name())) {
      byte[] buffer = new byte[1 << 16];
      for (int n = tar.read(buffer); n >= 0; n = tar.read(buffer)) {
        requireRoom(entry, n);
        left -= n;
        out.write(buffer, 0, n);
      }
      out.set(attributes);
    }
  }

  private void requireRoom(TarArchiveEntry entry, long bytes) {
    if (bytes > left) {
      throw new AtollException(
          ErrorCode.TOO_LARGE,
          "the files of the template are larger than it may be: with %s they are more than %d bytes"
              .formatted(TarEntries.shown(entry), bounds.fileBytes()),
          "leave something out, or raise template.max-disk");
    }
  }

  private void whiteout(String path, String name, TouchedPaths touched) throws IOException {
    String folder = path.substring(0, path.length() - name.length());
    if (name.equals(OPAQUE)) {
      ForeignTree.Place place = tree.find(folder + "x");
      if (place != null) {
        clearUntouched(place.directory(), place.folder(), touched);
      }
      return;
    }
    String hidden = name.substring(WHITEOUT.length());
    if (hidden.isEmpty() || hidden.equals(".") || hidden.equals("..")) {
      throw new PathException(path, "it removes something that is no file");
    }
    ForeignTree.Place place = tree.find(folder + hidden);
    if (place != null && !touched.contains(place.path())) {
      tree.clear(place);
    }
  }

  /** An opaque directory shows nothing of what layers below have in it, at any depth. */
  private static void clearUntouched(TreeDirectory directory, String path, TouchedPaths touched)
      throws IOException {
    for (String name : directory.names()) {
      String child = path.isEmpty() ? name : path + "/" + name;
      if (!touched.contains(child)) {
        directory.remove(name);
        continue;
      }
      try (TreeDirectory below = directory.directory(name)) {
        if (below != null) {
          clearUntouched(below, child, touched);
        }
      }
    }
  }

  private static FileAttributes attributes(TarArchiveEntry entry) {
    return new FileAttributes(
        entry.getMode() & PERMISSIONS,
        owner(entry, entry.getLongUserId()),
        owner(entry, entry.getLongGroupId()),
        entry.getLastModifiedTime().toInstant());
  }

  private static int owner(TarArchiveEntry entry, long id) {
    if (id < 0 || id > TreeEntry.MOST_OWNER) {
      throw TarEntries.invalid(
          entry, "it belongs to the number %d, at most %d".formatted(id, TreeEntry.MOST_OWNER));
    }
    return (int) id;
  }

  /** Targets mean nothing to the host; their form alone is looked at. */
  private static String target(String name) {
    return name.length() > 1 && name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
  }

  @Override
  public void close() {
    tree.close();
  }
}
