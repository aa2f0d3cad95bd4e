package dev.atoll.engine.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;

/** Owner, permissions and time of files in a tree; links are never followed. */
final class TreeAttributes {
  private TreeAttributes() {}

  record Values(int mode, int uid, int gid, FileTime time) {}

  static void set(Path file, Values values) throws IOException {
    owner(file, values);
    // After the owner, because a change of owner clears the set-user-id bit.
    Files.setAttribute(file, "unix:mode", values.mode(), LinkOption.NOFOLLOW_LINKS);
    time(file, values);
  }

  /** A symbolic link has no permissions of its own. */
  static void setOfLink(Path link, Values values) throws IOException {
    owner(link, values);
    time(link, values);
  }

  /** An ordinary user cannot give files away; one who need not is not asked to. */
  private static void owner(Path file, Values values) throws IOException {
    for (String name : new String[] {"uid", "gid"}) {
      int wanted = name.equals("uid") ? values.uid() : values.gid();
      Object is = Files.getAttribute(file, "unix:" + name, LinkOption.NOFOLLOW_LINKS);
      if (!Integer.valueOf(wanted).equals(is)) {
        Files.setAttribute(file, "unix:" + name, wanted, LinkOption.NOFOLLOW_LINKS);
      }
    }
  }

  private static void time(Path file, Values values) throws IOException {
    Files.getFileAttributeView(file, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .setTimes(values.time(), null, null);
  }
}
