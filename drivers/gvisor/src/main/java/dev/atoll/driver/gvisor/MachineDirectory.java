package dev.atoll.driver.gvisor;

import dev.atoll.driver.MachineSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Where the files of one machine are. All of them are the server's alone, which reads them without
 * doubt, except for {@link #own()}: what is in there the machine may have made.
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

  private static final int LONGEST_SOCKET = "/own/state/runsc-guest.sock".length();

  /** As runsc calls the socket of a sandbox whose name is guest. */
  private static final String CONTROL_SOCKET = "runsc-guest.sock";

  MachineDirectory {
    path = path.toAbsolutePath().normalize();
  }

  static MachineDirectory of(MachineSpec spec) {
    return new MachineDirectory(spec.id(), spec.directory());
  }

  /** What the machine may read. */
  Path bundle() {
    return path.resolve("bundle");
  }

  /** The bundle's specification; its name is given by runsc. */
  Path config() {
    return bundle().resolve("config.json");
  }

  Path meminfo() {
    return bundle().resolve("meminfo");
  }

  /** Links to the files of the image that the machine is restored from; it may read them. */
  Path image() {
    return path.resolve("image");
  }

  /** Belongs to the machine's user: never follow a link in it, never believe a file in it. */
  Path own() {
    return path.resolve("own");
  }

  /** Where an older server's machine, which has no folder of its own, keeps what it wrote. */
  Path oldFilestore() {
    return path.resolve("filestore");
  }

  /** Is there while the guest is stopped by gVisor itself. */
  Path paused() {
    return path.resolve("paused");
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

  Path record() {
    return path.resolve(RECORD);
  }

  /** {@code --root} of an older server's runsc; it holds runsc's control socket. */
  Path oldState() {
    return socketHome().resolve("state");
  }

  Path oldControlSocket() {
    return oldState().resolve(CONTROL_SOCKET);
  }

  /**
   * Where runsc puts the sandbox's control socket: among what the machine may change, so who is at
   * its other end must be asked.
   */
  Path controlSocket() {
    return socketHome().resolve("own/state").resolve(CONTROL_SOCKET);
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
  void prepare(int uidBase) throws IOException {
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
    // Of the machine's user, within a directory that this user cannot enter by itself.
    makeOwn(own(), uidBase);
    makeOwn(own().resolve(World.STATE.getFileName()), uidBase);
    makeOwn(own().resolve(World.FILESTORE.getFileName()), uidBase);
    makeReadable(bundle());
    makeReadable(image());
  }

  private static void makeOwn(Path folder, int uid) throws IOException {
    // Safe: nothing of this machine runs yet, so the folder is what was just made.
    Files.createDirectory(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    Files.setAttribute(folder, "unix:gid", uid, LinkOption.NOFOLLOW_LINKS);
    Files.setAttribute(folder, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
  }

  private static void makeReadable(Path folder) throws IOException {
    Files.createDirectory(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Writes a file of the bundle. */
  static void writeReadable(Path file, byte[] content) throws IOException {
    Files.write(file, content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
  }

  /** Removes what lies outside the directory, and the sockets. */
  void clean() throws IOException {
    Files.deleteIfExists(path.resolve("keeper.sock"));
    if (tooLong()) {
      Files.deleteIfExists(link());
    }
  }

  /** Removes all in the directory, as if nothing had been started there. */
  void empty() throws IOException {
    try (Stream<Path> all = Files.walk(path)) {
      for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
        if (!file.equals(path)) {
          Files.delete(file);
        }
      }
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
