package dev.atoll.driver.gvisor;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ranges of user ids, each for one machine at a time among all servers of this host. A claim is a
 * link, named by the range, to the machine's directory: making one is exclusive and in one piece.
 * The folder is gone after a start of the host, and so are the machines.
 */
record UserIds(Path claims) {
  /** The host's own ids are far below; those above are the builder's. */
  private static final int FIRST = 0x7000_0000;

  private static final int RANGE = 65_536;
  private static final int RANGES = 3840;

  static UserIds ofHost() {
    return new UserIds(Path.of("/run/atoll/uids"));
  }

  /** Takes a range that no other machine has; the first id of it. The directory must exist. */
  int claim(MachineDirectory directory) throws IOException {
    Files.createDirectories(
        claims, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    int start = ThreadLocalRandom.current().nextInt(RANGES);
    for (int i = 0; i < RANGES; i++) {
      int base = FIRST + (start + i) % RANGES * RANGE;
      try {
        Files.createSymbolicLink(claim(base), directory.path());
        return base;
      } catch (FileAlreadyExistsException e) {
        // Another's.
      }
    }
    throw new AtollException(
        ErrorCode.INTERNAL,
        "all " + RANGES + " ranges of user ids are taken by machines",
        "End sandboxes, or remove links in " + claims + " that lead to no directory.");
  }

  /** Gives a range back, if it is that machine's. */
  void release(int base, MachineDirectory directory) throws IOException {
    Path claim = claim(base);
    if (Files.isSymbolicLink(claim) && Files.readSymbolicLink(claim).equals(directory.path())) {
      Files.deleteIfExists(claim);
    }
  }

  /** Gives back what machines have whose directories are gone. One server at a time does it. */
  void sweep() throws IOException {
    if (!Files.isDirectory(claims)) {
      return;
    }
    try (FileChannel lock =
            FileChannel.open(
                claims.resolveSibling("uids.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock held = lock.tryLock();
        DirectoryStream<Path> all = Files.newDirectoryStream(claims)) {
      if (held == null) {
        return;
      }
      for (Path claim : all) {
        if (Files.isSymbolicLink(claim)
            && !Files.exists(Files.readSymbolicLink(claim), LinkOption.NOFOLLOW_LINKS)) {
          Files.deleteIfExists(claim);
        }
      }
    } catch (java.nio.channels.OverlappingFileLockException e) {
      // Another driver of this process is at it.
    }
  }

  private Path claim(int base) {
    return claims.resolve(Integer.toHexString(base));
  }
}
