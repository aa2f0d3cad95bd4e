package dev.atoll.driver.gvisor;

import dev.atoll.driver.MachineSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/**
 * Where the files of one machine are.
 *
 * @param id the machine
 * @param path its directory, absolute
 */
record MachineDirectory(String id, Path path) {
  /** The name of a machine's record in its directory. */
  static final String RECORD = "machine.json";

  private static final Path LINKS = Path.of("/run/atoll");

  /** What a unix socket's path may have, and the longest name that a socket has below us. */
  private static final int MAX_SOCKET_PATH = 107;

  private static final int LONGEST_SOCKET = "/state/runsc-guest.sock".length();

  MachineDirectory {
    path = path.toAbsolutePath().normalize();
  }

  static MachineDirectory of(MachineSpec spec) {
    return new MachineDirectory(spec.id(), spec.directory());
  }

  /** The bundle's specification; its name is given by runsc. */
  Path config() {
    return path.resolve("config.json");
  }

  Path filestore() {
    return path.resolve("filestore");
  }

  Path meminfo() {
    return path.resolve("meminfo");
  }

  Path exitFile() {
    return path.resolve("exit");
  }

  Path log() {
    return path.resolve("runsc.log");
  }

  Path keeperLog() {
    return path.resolve("keeper.log");
  }

  Path keeperPid() {
    return path.resolve("keeper.pid");
  }

  Path machinePid() {
    return path.resolve("machine.pid");
  }

  Path record() {
    return path.resolve(RECORD);
  }

  /** runsc's {@code --root}; it holds runsc's control socket. */
  Path state() {
    return socketHome().resolve("state");
  }

  Path socket() {
    return socketHome().resolve("keeper.sock");
  }

  /**
   * A name of the machine's control groups and link that no other server's machine has: two servers
   * on one host have different roots.
   */
  String hostName() {
    return rootHash(Objects.requireNonNull(path.getParent())) + "-" + id;
  }

  /** A short name for the folder that holds machines' directories. */
  static String rootHash(Path root) {
    byte[] bytes = root.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8);
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, 4);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /**
   * Makes the folders, and the link if one is needed, before the machine starts. runsc would put a
   * control socket whose path is too long somewhere in /run or /tmp, where nobody removes it.
   */
  void prepare() throws IOException {
    if (tooLong()) {
      Files.createDirectories(
          LINKS,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      try {
        Files.createSymbolicLink(link(), path);
      } catch (FileAlreadyExistsException e) {
        Files.delete(link());
        Files.createSymbolicLink(link(), path);
      }
    }
    Files.createDirectories(path.resolve("state"));
    Files.createDirectories(filestore());
  }

  /** Removes what lies outside the directory, and the sockets. */
  void clean() throws IOException {
    Files.deleteIfExists(path.resolve("keeper.sock"));
    Files.deleteIfExists(path.resolve("state/runsc-guest.sock"));
    if (tooLong()) {
      Files.deleteIfExists(link());
    }
  }

  private Path socketHome() {
    return tooLong() ? link() : path;
  }

  private Path link() {
    return LINKS.resolve(hostName());
  }

  private boolean tooLong() {
    int bytes = path.toString().getBytes(StandardCharsets.UTF_8).length;
    return bytes + LONGEST_SOCKET > MAX_SOCKET_PATH;
  }
}
