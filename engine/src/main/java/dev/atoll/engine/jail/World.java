package dev.atoll.engine.jail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;

/**
 * What a command in a jail gets to see and to use. Paths are of the server's own making; the jailer
 * follows no link on the way to a place in the jail.
 */
public final class World {
  private final List<String> arguments = new ArrayList<>();

  World(Path program, int base) {
    arguments.add(program.toString());
    arguments.addAll(List.of("--uid-base", Integer.toString(base), "--die-with-parent"));
    arguments.addAll(List.of("--limit", "core", "0"));
  }

  /**
   * A file or directory of the server's or of the system, to be read. What not everybody on the
   * host may read is read as its owner.
   */
  public World readable(Path source, String place) throws IOException {
    boolean open = Files.getPosixFilePermissions(source).contains(PosixFilePermission.OTHERS_READ);
    return add(open ? "--bind-ro" : "--mapped-ro", source.toAbsolutePath().toString(), place);
  }

  /** The same at the same place. */
  public World readable(Path source) throws IOException {
    return readable(source, source.toAbsolutePath().toString());
  }

  /** A tree to work in; what root of the jail makes there belongs to root. */
  public World workable(Path source, String place) {
    return add("--mapped", source.toAbsolutePath().toString(), place);
  }

  /** A tree with the owners that it has, to be read. */
  public World readableMapped(Path source, String place) {
    return add("--mapped-ro", source.toAbsolutePath().toString(), place);
  }

  /** An empty file system in memory. */
  public World memory(String place, long bytes) {
    return add("--tmpfs", place, Long.toString(bytes));
  }

  /** The processes of the jail, and the devices that are none. */
  public World processesAndDevices() {
    return add("--proc", "/proc").add("--dev", "/dev");
  }

  /** The host's network instead of none. */
  public World hostNetwork() {
    return add("--host-network");
  }

  /** Sets a limit of {@code setrlimit}, whose name is in small letters. */
  public World limit(String name, long value) {
    return add("--limit", name, Long.toString(value));
  }

  /** The host's libraries, where programs look for them. */
  public World libraries() throws IOException {
    for (String place : List.of("/usr/lib", "/usr/lib64", "/lib", "/lib64")) {
      host(place);
    }
    return this;
  }

  /** A directory of the host, or a link in its root, if it is there. */
  public World host(String place) throws IOException {
    Path path = Path.of(place);
    if (Files.isSymbolicLink(path)) {
      return add("--link", Files.readSymbolicLink(path).toString(), place);
    }
    return Files.exists(path) ? readable(path) : this;
  }

  private World add(String... more) {
    arguments.addAll(List.of(more));
    return this;
  }

  /** The command line that runs a command there. */
  public List<String> command(List<String> command) {
    List<String> all = new ArrayList<>(arguments);
    all.add("--");
    all.addAll(command);
    return all;
  }
}
