package dev.atoll.engine.files;

import java.util.List;

/**
 * The programs of a guest that list and pack its files.
 *
 * @param walk prints what a {@link Walk} reads
 * @param pack makes an archive of the paths that it is given, each of which ends with NUL
 */
record FileTools(List<String> walk, List<String> pack) {
  /**
   * Those of the guest's system, as GNU has them. A sandbox may be older than this server, and its
   * agent with it, so that they are what can be counted on.
   */
  static final FileTools SYSTEM =
      new FileTools(
          List.of("/bin/sh", "-c", Walk.script("")),
          List.of(
              "/usr/bin/tar",
              "--create",
              "--file=-",
              "--directory=/",
              "--format=posix",
              "--numeric-owner",
              "--sparse",
              // A file that goes away meanwhile is no reason to give up.
              "--ignore-failed-read",
              "--no-recursion",
              "--null",
              "--verbatim-files-from",
              "--files-from=-"));

  /** The agent of this server itself, which needs nothing of the guest; writes holes out. */
  static final FileTools AGENT =
      new FileTools(
          List.of("/opt/atoll/agent", "walk", "/"), List.of("/opt/atoll/agent", "pack", "/"));

  FileTools {
    walk = List.copyOf(walk);
    pack = List.copyOf(pack);
  }
}
