package dev.atoll.engine.files;

import dev.atoll.engine.guest.Guest;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a guest has changed of its template.
 *
 * <p>In gVisor a file that nobody has touched shows the attributes, and the device, of the file
 * below. Its time of change is compared only where the device says that it is the guest's own: on
 * the host that time moves whenever a template that shares the file is built or removed. A guest
 * that is not root sees less than the host does, and could change less: what it cannot have changed
 * is left out.
 */
final class LayerScan {
  private static final String PACKED_TYPES = "fdlp";
  private static final int OTHERS_MAY_WRITE = 02;

  private final Path rootfs;
  private final OutputStream changed;
  private final OutputStream removed;
  private final OutputStream linked;

  LayerScan(Path rootfs, OutputStream changed, OutputStream removed, OutputStream linked) {
    this.rootfs = rootfs;
    this.changed = changed;
    this.removed = removed;
    this.linked = linked;
  }

  /** Writes the paths of each kind; every one ends with NUL. */
  void run(Guest guest, FileTools tools) throws IOException {
    try (Walk host = Walk.of(rootfs);
        Walk inside = Walk.of(guest, tools)) {
      WalkPairs pairs = new WalkPairs(host, inside);
      for (WalkPairs.Pair pair = pairs.next(); pair != null; pair = pairs.next()) {
        sort(pair.left(), pair.right(), inside);
      }
    }
  }

  private void sort(@Nullable WalkEntry before, @Nullable WalkEntry now, Walk inside)
      throws IOException {
    if (before != null && (now == null || now.type() != before.type())) {
      if (now != null || mayHaveRemoved(inside.uid(), before.path())) {
        write(removed, "", before.path());
      }
    }
    if (now != null && PACKED_TYPES.indexOf(now.type()) >= 0 && !now.path().equals("/")) {
      boolean foreign = inside.uid() != 0 && now.type() == 'd' && now.uid() != inside.uid();
      if (!foreign && (before == null || differs(before, now, inside.base()))) {
        write(changed, ".", now.path());
        if (inside.uid() == 0) {
          LinkedFiles.note(now, linked);
        }
      }
    }
  }

  static boolean differs(WalkEntry before, WalkEntry now, String base) {
    if (!now.looksLike(before) || now.modified() != before.modified()) {
      return true;
    }
    return now.type() != 'd' && now.changed() != before.changed() && !now.device().equals(base);
  }

  private boolean mayHaveRemoved(long uid, String path) throws IOException {
    if (uid == 0) {
      return true;
    }
    String raw = path.substring(0, Math.max(1, path.lastIndexOf('/')));
    String parent = new String(raw.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    Path folder = rootfs.resolve("." + parent);
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    var attributes = Files.readAttributes(folder, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
    return attributes.get("uid") instanceof Integer owner
        && attributes.get("mode") instanceof Integer mode
        && (owner == uid || (mode & OTHERS_MAY_WRITE) != 0);
  }

  static void write(OutputStream list, String prefix, String path) throws IOException {
    list.write((prefix + path).getBytes(StandardCharsets.ISO_8859_1));
    list.write(0);
  }
}
