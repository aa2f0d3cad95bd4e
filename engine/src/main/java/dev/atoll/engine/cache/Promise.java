package dev.atoll.engine.cache;

import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What an index says that a file is.
 *
 * @param algorithm as Java names it; or one of Go's, which are made of SHA-256
 * @param digest in lower-case hexadecimal digits
 */
record Promise(String algorithm, String digest) {
  private static final String GO_ZIP = "GO-ZIP";
  private static final String GO_MOD = "GO-MOD";
  private static final String GO_SUM = "h1:";

  static @Nullable Promise sha256(@Nullable String hex) {
    return hex(hex, "SHA-256", 64);
  }

  private static @Nullable Promise hex(@Nullable String hex, String algorithm, int length) {
    String digest = hex == null ? "" : hex.toLowerCase(Locale.ROOT);
    return digest.matches("[0-9a-f]{" + length + "}") ? new Promise(algorithm, digest) : null;
  }

  /** The strongest of what npm promises: {@code sha512-…} in base64, or the old sum in hex. */
  static @Nullable Promise npm(@Nullable String integrity, @Nullable String shasum) {
    for (String one : integrity == null ? new String[0] : integrity.strip().split("\\s+", -1)) {
      if (one.startsWith("sha512-")) {
        String value = one.substring("sha512-".length()).replaceFirst("\\?.*", "");
        try {
          byte[] digest = Base64.getDecoder().decode(value);
          return hex(HexFormat.of().formatHex(digest), "SHA-512", 128);
        } catch (IllegalArgumentException e) {
          return null;
        }
      }
    }
    return hex(shasum, "SHA-1", 40);
  }

  /** Of the files of a Go module, as go.sum has it. */
  static @Nullable Promise goZip(String sum) {
    return go(sum, GO_ZIP);
  }

  /** Of its go.mod. */
  static @Nullable Promise goMod(String sum) {
    return go(sum, GO_MOD);
  }

  private static @Nullable Promise go(String sum, String algorithm) {
    if (!sum.startsWith(GO_SUM)) {
      return null;
    }
    try {
      byte[] digest = Base64.getDecoder().decode(sum.substring(GO_SUM.length()));
      return hex(HexFormat.of().formatHex(digest), algorithm, 64);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Reads what {@link #key} wrote; null for null, and for anything else. */
  static @Nullable Promise ofKey(@Nullable String key) {
    if (key == null) {
      return null;
    }
    String digest = key.substring(key.indexOf('-') + 1);
    return switch (key.substring(0, Math.max(0, key.indexOf('-')))) {
      case "sha256" -> sha256(digest);
      case "sha512" -> hex(digest, "SHA-512", 128);
      case "sha1" -> hex(digest, "SHA-1", 40);
      case "gozip" -> hex(digest, GO_ZIP, 64);
      case "gomod" -> hex(digest, GO_MOD, 64);
      default -> null;
    };
  }

  /** A name for a file that holds this. */
  String key() {
    return algorithm.toLowerCase(Locale.ROOT).replace("-", "") + "-" + digest;
  }

  MessageDigest begin() {
    try {
      return MessageDigest.getInstance(algorithm.startsWith("GO-") ? "SHA-256" : algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has " + algorithm, e);
    }
  }

  /**
   * Whether a file is that.
   *
   * @param read has taken all of it
   * @param file where it is
   */
  boolean isKept(MessageDigest read, Path file) throws IOException {
    String found =
        switch (algorithm) {
          case GO_ZIP -> ModuleZip.digest(file);
          case GO_MOD -> ModuleZip.digest("go.mod", read.digest());
          default -> HexFormat.of().formatHex(read.digest());
        };
    return found.equals(digest);
  }
}
