package dev.atoll.engine;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * What callers prove by knowing it: 160 random bits, so a plain SHA-256 is safe to store, for there
 * is nothing to guess.
 */
final class Tokens {
  private static final int BYTES = 20;
  private static final SecureRandom RANDOM = new SecureRandom();

  private Tokens() {}

  static String next(String prefix) {
    return prefix + hex(BYTES);
  }

  static String hex(int bytes) {
    byte[] random = new byte[bytes];
    RANDOM.nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  static String hash(String secret) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha.digest(secret.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
