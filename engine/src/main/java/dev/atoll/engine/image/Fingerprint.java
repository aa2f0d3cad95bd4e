package dev.atoll.engine.image;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * What tells root file systems apart: a SHA-256 over paths, kinds, modes, owners, times of
 * modification in nanoseconds, link targets, and the content.
 *
 * <p>Times are in because a restored guest finds its open files by them. Content is in although it
 * costs a pass over all bytes: an archive from a stranger may be the first to bring a tree, and if
 * its sizes and times were all that counted, it could stand for an honest tree of the next archive.
 * Which files are hard links to each other is left out; a guest hardly can tell.
 */
final class Fingerprint {
  private final MessageDigest tree = Archive.sha256();
  private final Map<String, String> contents = new HashMap<>();

  Fingerprint() {}

  static String of(Path rootfs) throws IOException {
    if (!Files.isDirectory(rootfs)) {
      throw new IOException("there is no root file system at " + rootfs);
    }
    Fingerprint fingerprint = new Fingerprint();
    TreeWalk.of(rootfs, fingerprint::add);
    return fingerprint.finish();
  }

  /** That of all that was added. */
  String finish() {
    return HexFormat.of().formatHex(tree.digest());
  }

  private void add(TreeEntry entry, TreeWalk.Content data) throws IOException {
    if (entry.kind() == TreeEntry.Kind.FILE) {
      try (InputStream in = data.open()) {
        add(entry, in, Long.MAX_VALUE);
      }
    } else {
      add(entry, InputStream.nullInputStream(), 0);
    }
  }

  /** Adds the next entry of a tree that is not unpacked; reads its content. */
  void add(TreeEntry entry, InputStream in) throws IOException {
    add(entry, in, entry.size());
  }

  private void add(TreeEntry entry, InputStream in, long most) throws IOException {
    String content =
        switch (entry.kind()) {
          case DIRECTORY -> "directory";
          case SYMBOLIC_LINK -> "link " + entry.target();
          case FILE -> content(entry, in, most);
          case HARD_LINK -> contents.getOrDefault(entry.target(), "");
        };
    String line =
        String.join(
            "\0",
            entry.path(),
            Integer.toOctalString(entry.mode()),
            entry.uid() + ":" + entry.gid(),
            entry.modified().toString(),
            content);
    tree.update((line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private String content(TreeEntry entry, InputStream in, long most) throws IOException {
    MessageDigest sha = Archive.sha256();
    byte[] buffer = new byte[1 << 16];
    long left = most;
    while (left > 0) {
      int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (read < 0) {
        break;
      }
      sha.update(buffer, 0, read);
      left -= read;
    }
    if (left > 0 && most == entry.size()) {
      throw new EOFException(left + " bytes of " + most + " are missing");
    }
    String content = "file " + HexFormat.of().formatHex(sha.digest());
    contents.put(entry.path(), content);
    return content;
  }
}
