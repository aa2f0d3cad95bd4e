package dev.atoll.engine.secret;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs what is in URLs of files (HMAC-SHA256). The key is in {@code urls.key} of the data
 * directory, made when the first URL is and readable for its owner alone; without it all URLs are
 * worthless. Thread-safe.
 */
public final class UrlSigner {
  private static final String ALGORITHM = "HmacSHA256";

  /** So that a signature of a URL is one of nothing else. */
  private static final byte[] LABEL = "atoll file url 1\0".getBytes(StandardCharsets.US_ASCII);

  private final KeyRing keys;

  public UrlSigner(Path dataDirectory) {
    this.keys =
        new KeyRing(
            dataDirectory.resolve("urls.key"),
            true,
            "signed URLs",
            "restore it, or remove it, which makes all URLs of before worthless");
  }

  /** The signature of a message, as text that needs no escaping in a URL. */
  public String sign(byte[] message) {
    try {
      byte[] key = Objects.requireNonNull(keys.key(keys.current())).getEncoded();
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      mac.update(LABEL);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal(message));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /** Whether that is the signature of a message; how much of a wrong one is right tells nobody. */
  public boolean verify(byte[] message, String signature) {
    return MessageDigest.isEqual(
        sign(message).getBytes(StandardCharsets.US_ASCII),
        signature.getBytes(StandardCharsets.UTF_8));
  }
}
