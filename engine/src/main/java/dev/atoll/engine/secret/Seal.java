package dev.atoll.engine.secret;

import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Seals what must not lie open on disk, with AES-256-GCM. What is sealed is bound to its place: it
 * does not open in another one, so rows cannot be exchanged.
 */
final class Seal {
  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final KeyRing keys;

  Seal(KeyRing keys) {
    this.keys = keys;
  }

  /**
   * What was sealed.
   *
   * @param key the id of the key
   * @param bytes the nonce and what AES made of the text
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Sealed(String key, byte[] bytes) {}

  Sealed seal(byte[] plain, String... place) {
    String id = keys.current();
    byte[] nonce = new byte[NONCE_BYTES];
    RANDOM.nextBytes(nonce);
    byte[] text = apply(Cipher.ENCRYPT_MODE, id, nonce, plain, place);
    byte[] all = Arrays.copyOf(nonce, NONCE_BYTES + text.length);
    System.arraycopy(text, 0, all, NONCE_BYTES, text.length);
    return new Sealed(id, all);
  }

  byte[] open(Sealed sealed, String... place) {
    byte[] bytes = sealed.bytes();
    byte[] nonce = Arrays.copyOf(bytes, NONCE_BYTES);
    byte[] text = Arrays.copyOfRange(bytes, NONCE_BYTES, Math.max(NONCE_BYTES, bytes.length));
    return apply(Cipher.DECRYPT_MODE, sealed.key(), nonce, text, place);
  }

  /** Whether it is sealed with the key that seals now. */
  boolean isCurrent(String key) {
    return key.equals(keys.current());
  }

  private byte[] apply(int mode, String id, byte[] nonce, byte[] input, String... place) {
    SecretKey key = keys.key(id);
    if (key == null) {
      throw unreadable("is sealed with the key " + id + ", which is not in " + keys.file());
    }
    try {
      Cipher cipher = Cipher.getInstance(CIPHER);
      cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
      // No name can hold a NUL, so different places have different texts.
      cipher.updateAAD(String.join("\0", place).getBytes(StandardCharsets.UTF_8));
      return cipher.doFinal(input);
    } catch (GeneralSecurityException e) {
      throw unreadable("does not open: the database was changed by somebody else");
    }
  }

  private static AtollException unreadable(String why) {
    return new AtollException(
        ErrorCode.INTERNAL,
        "a secret " + why,
        "restore the key file, or set the secret again",
        Map.of(),
        null);
  }
}
