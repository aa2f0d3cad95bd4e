package dev.atoll.server;

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

/**
 * The native programs that come in the jar, put where they can be executed.
 *
 * <p>Each content has a folder of its own: keepers of an older version outlive the server that
 * started them, and a file that is being executed cannot be written.
 */
record GuestPrograms(Path keeper, Path agent, Path jailer) {
  private static final String RESOURCES = "/dev/atoll/guest/";
  private static final int DIGEST_BYTES = 8;

  static GuestPrograms install(Path dataDirectory) {
    Path folder = dataDirectory.resolve("bin");
    try {
      PrivateFiles.makeDirectory(dataDirectory);
      return new GuestPrograms(
          install(folder, "atoll-keeper"),
          install(folder, "atoll-agent"),
          install(folder, "atoll-jailer"));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot install programs in " + folder, e);
    }
  }

  private static Path install(Path folder, String name) throws IOException {
    byte[] content;
    try (InputStream input = GuestPrograms.class.getResourceAsStream(RESOURCES + name)) {
      if (input == null) {
        throw new IllegalStateException("the build has left out " + name);
      }
      content = input.readAllBytes();
    }
    Path own = folder.resolve(digest(content));
    Path program = own.resolve(name);
    if (Files.isExecutable(program) && Arrays.equals(Files.readAllBytes(program), content)) {
      return program;
    }
    Files.createDirectories(own);
    Path aside = own.resolve("." + name + "." + ProcessHandle.current().pid());
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
}
