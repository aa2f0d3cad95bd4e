package dev.atoll.engine.oci;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What content must hash to. The form is strict, since it comes from strangers: an algorithm that
 * is known, and as many hexadecimal digits in lower case as it has.
 *
 * @param algorithm {@code sha256} or {@code sha512}
 */
record Digest(String algorithm, String hex) {
  private static final Pattern FORM =
      Pattern.compile("(sha256):([0-9a-f]{64})|(sha512):([0-9a-f]{128})");
  private static final Map<String, String> ALGORITHMS =
      Map.of("sha256", "SHA-256", "sha512", "SHA-512");

  /** Reads the form {@code sha256:…}. */
  static Digest parse(@Nullable String text) throws ImageRefused {
    Matcher form = FORM.matcher(text == null ? "" : text);
    if (!form.matches()) {
      throw new ImageRefused(
          ImageRefused.Reason.INVALID_DIGEST,
          "a digest that is neither of SHA-256 nor of SHA-512: " + ImageRefused.quoted(text));
    }
    return form.group(1) == null
        ? new Digest(form.group(3), form.group(4))
        : new Digest(form.group(1), form.group(2));
  }

  /** The SHA-256 of some content. */
  static Digest of(byte[] content) {
    return finish("sha256", begin("sha256"), content);
  }

  /** Whether that is the content. */
  boolean matches(byte[] content) {
    return equals(finish(algorithm, hashing(), content));
  }

  /** To be given the content. */
  MessageDigest hashing() {
    return begin(algorithm);
  }

  /** Whether what was hashed is the content. */
  boolean matches(MessageDigest hashed) {
    return hex.equals(HexFormat.of().formatHex(hashed.digest()));
  }

  private static Digest finish(String algorithm, MessageDigest hash, byte[] content) {
    return new Digest(algorithm, HexFormat.of().formatHex(hash.digest(content)));
  }

  private static MessageDigest begin(String algorithm) {
    try {
      return MessageDigest.getInstance(String.valueOf(ALGORITHMS.get(algorithm)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has " + algorithm, e);
    }
  }

  /** The form {@code sha256:…}. */
  @Override
  public String toString() {
    return algorithm + ":" + hex;
  }
}
