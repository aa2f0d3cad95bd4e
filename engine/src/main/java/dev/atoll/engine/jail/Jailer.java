package dev.atoll.engine.jail;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The program {@code atoll-jailer}, which runs a command in user ids, namespaces and a root of its
 * own.
 */
public final class Jailer {
  private static final String NAME = "atoll-jailer";
  private static final int DIGEST_BYTES = 8;

  /** Where it ends with when the world could not be made, and the command has not run. */
  public static final int NO_WORLD = 125;

  /** The last 256 ranges of Atoll's; machines have the ones before. */
  private static final int FIRST_BASE = 0x7f000000;

  private static final int RANGE = 1 << 16;
  private static final int RANGES = 256;

  private final @Nullable Path program;
  private final AtomicInteger next = new AtomicInteger();

  private Jailer(@Nullable Path program) {
    this.program = program;
  }

  /**
   * Puts the program where it can be executed.
   *
   * <p>A server that is not root has no privileges to keep from a command, nor could it start the
   * program: its commands run as they are.
   *
   * @param folder in which each version has a folder of its own
   */
  public static Jailer install(Path folder) {
    if (!isRoot()) {
      return new Jailer(null);
    }
    try {
      return new Jailer(installed(folder));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot install " + NAME + " in " + folder, e);
    }
  }

  private static boolean isRoot() {
    try {
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException e) {
      throw new UncheckedIOException("who runs the server cannot be found out", e);
    }
  }

  private static Path installed(Path folder) throws IOException {
    byte[] content;
    try (InputStream in = Jailer.class.getResourceAsStream("/dev/atoll/guest/" + NAME)) {
      if (in == null) {
        throw new IllegalStateException("the build has left out " + NAME);
      }
      content = in.readAllBytes();
    }
    Path own = Files.createDirectories(folder.resolve(digest(content)));
    Path program = own.resolve(NAME);
    if (Files.isExecutable(program) && Arrays.equals(Files.readAllBytes(program), content)) {
      return program;
    }
    Path aside = Files.createTempFile(own, "." + NAME, "");
    Files.write(aside, content);
    Files.setPosixFilePermissions(aside, PosixFilePermissions.fromString("rwxr-xr-x"));
    return Files.move(
        aside, program, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static String digest(byte[] content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      return HexFormat.of().formatHex(digest, 0, DIGEST_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Whether commands get a world of their own. */
  public boolean confines() {
    return program != null;
  }

  /** A world with nothing in it, whose user ids no other world has at the moment. */
  public World world() {
    Path installed = program;
    if (installed == null) {
      throw new IllegalStateException("only root makes worlds");
    }
    int base = FIRST_BASE + Math.floorMod(next.getAndIncrement(), RANGES) * RANGE;
    return new World(installed, base);
  }
}
