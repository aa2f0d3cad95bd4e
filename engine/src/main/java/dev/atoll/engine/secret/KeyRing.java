package dev.atoll.engine.secret;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a file, one in a line as Base64 of 32 bytes. The first seals or signs; the others
 * still open what was sealed before they were replaced. A key is known by the beginning of its
 * hash.
 */
final class KeyRing {
  private static final int KEY_BYTES = 32;
  private static final int ID_BYTES = 8;

  private final Path file;
  private final boolean own;
  private final String purpose;
  private final String repair;
  private @Nullable Map<String, SecretKey> keys;

  /**
   * @param own whether the file is ours to make; one that the administrator named must be there
   * @param purpose what the keys are for, in messages
   * @param repair what to do when the file is damaged
   */
  KeyRing(Path file, boolean own, String purpose, String repair) {
    this.file = file;
    this.own = own;
    this.purpose = purpose;
    this.repair = repair;
  }

  Path file() {
    return file;
  }

  /** The id of the key that seals now. */
  String current() {
    return keys().keySet().iterator().next();
  }

  /** The key of that id; null when it is not in the file. */
  @Nullable SecretKey key(String id) {
    return keys().get(id);
  }

  private synchronized Map<String, SecretKey> keys() {
    if (keys == null) {
      try {
        if (own && !Files.exists(file)) {
          make();
        }
        keys = read();
      } catch (IOException e) {
        throw broken("cannot be read: " + e.getClass().getSimpleName(), e);
      }
    }
    return keys;
  }

  private Map<String, SecretKey> read() throws IOException {
    Map<String, SecretKey> found = new LinkedHashMap<>();
    for (String line : Files.readAllLines(file)) {
      String text = line.strip();
      if (!text.isEmpty() && !text.startsWith("#")) {
        byte[] bytes = decode(text);
        found.put(id(bytes), new SecretKeySpec(bytes, "AES"));
        Arrays.fill(bytes, (byte) 0);
      }
    }
    if (found.isEmpty()) {
      throw broken("holds no key", null);
    }
    return found;
  }

  private byte[] decode(String text) {
    try {
      byte[] bytes = Base64.getDecoder().decode(text);
      if (bytes.length == KEY_BYTES) {
        return bytes;
      }
    } catch (IllegalArgumentException e) {
      // Said below, without the text.
    }
    throw broken("has a line that is not Base64 of 32 bytes", null);
  }

  private AtollException broken(String what, @Nullable Throwable cause) {
    return new AtollException(
        ErrorCode.INTERNAL,
        "the key file of " + purpose + ", " + file + ", " + what,
        repair + "; `head -c 32 /dev/urandom | base64` makes a key",
        Map.of(),
        cause);
  }

  /** Written aside, synced and renamed; readable for its owner alone from the start. */
  private void make() throws IOException {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    Path aside = file.resolveSibling("." + file.getFileName() + ".new");
    Files.deleteIfExists(aside);
    try (FileChannel channel =
        FileChannel.open(
            aside,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer text =
          StandardCharsets.US_ASCII.encode(Base64.getEncoder().encodeToString(key) + "\n");
      while (text.hasRemaining()) {
        channel.write(text);
      }
      channel.force(true);
    }
    Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String id(byte[] key) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(key);
      return HexFormat.of().formatHex(hash, 0, ID_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
