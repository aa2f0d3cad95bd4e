package dev.atoll.engine.cache;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What an index says that a file is.
 *
 * @param algorithm as Java names it
 * @param digest in lower-case hexadecimal digits
 */
record Promise(String algorithm, String digest) {

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
      default -> null;
    };
  }

  /** A name for a file that holds this. */
  String key() {
    return algorithm.toLowerCase(Locale.ROOT).replace("-", "") + "-" + digest;
  }

  MessageDigest begin() {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has " + algorithm, e);
    }
  }

  boolean isKept(MessageDigest read) {
    return HexFormat.of().formatHex(read.digest()).equals(digest);
  }
}
