package dev.atoll.engine.template;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The digests of a checkpoint's files, beside them, so that a checkpoint that cannot be restored is
 * told from one that is damaged. Reading all of it takes a moment: it is done after a failure only.
 */
final class CheckpointDigests {
  private static final String FILE = "digests";
  private static final int CHUNK = 1 << 16;

  private CheckpointDigests() {}

  static void write(Path checkpoint) throws IOException {
    StringBuilder lines = new StringBuilder();
    of(checkpoint)
        .forEach((name, digest) -> lines.append(digest).append(' ').append(name).append('\n'));
    Files.writeString(checkpoint.resolve(FILE), lines);
  }

  /** What is wrong with a checkpoint; empty when it is what was written. */
  static Optional<String> damage(Path checkpoint) {
    try {
      Map<String, String> written = new TreeMap<>();
      for (String line : Files.readAllLines(checkpoint.resolve(FILE))) {
        int space = line.indexOf(' ');
        written.put(line.substring(space + 1), line.substring(0, Math.max(0, space)));
      }
      Map<String, String> found = of(checkpoint);
      for (Map.Entry<String, String> file : written.entrySet()) {
        if (!file.getValue().equals(found.get(file.getKey()))) {
          String how = found.containsKey(file.getKey()) ? " is damaged" : " is gone";
          return Optional.of("its " + file.getKey() + how);
        }
      }
      return Optional.empty();
    } catch (IOException | RuntimeException e) {
      // What cannot be checked is not to be trusted.
      return Optional.of("its checkpoint cannot be checked (" + e.getMessage() + ")");
    }
  }

  private static Map<String, String> of(Path checkpoint) throws IOException {
    Map<String, String> digests = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(checkpoint)) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        if (!name.equals(FILE) && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
          digests.put(name, digest(file));
        }
      }
    }
    return digests;
  }

  private static String digest(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      byte[] chunk = new byte[CHUNK];
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        sha256.update(chunk, 0, n);
      }
      return HexFormat.of().formatHex(sha256.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
