package dev.atoll.server.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/**
 * A database of what Go modules hold that has one record, signed with a key of its own: as little
 * as go believes.
 *
 * @param name of the database
 * @param key what go is told to check its signatures by
 * @param lookup the page of the record
 * @param latest the signed state alone
 * @param tile the proof that the record is in it
 */
@SuppressWarnings("ArrayRecordComponent")
record FakeSumDatabase(String name, String key, String lookup, String latest, byte[] tile) {
  private static final int ED25519 = 1;
  private static final int KEY_BYTES = 32;

  /**
   * Of one module.
   *
   * @param record its lines as in go.sum
   */
  static FakeSumDatabase of(String name, String record) {
    try {
      KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
      byte[] encoded = pair.getPublic().getEncoded();
      byte[] key =
          joined(
              new byte[] {ED25519},
              Arrays.copyOfRange(encoded, encoded.length - KEY_BYTES, encoded.length));
      byte[] id = Arrays.copyOf(sha256(joined((name + "\n").getBytes(UTF_8), key)), 4);
      byte[] root = sha256(joined(new byte[] {0}, record.getBytes(UTF_8)));
      String state = "go.sum database tree\n1\n" + base64(root) + "\n";
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(pair.getPrivate());
      signature.update(state.getBytes(UTF_8));
      String signed = state + "\n— " + name + " " + base64(joined(id, signature.sign())) + "\n";
      return new FakeSumDatabase(
          name,
          name + "+" + HexFormat.of().formatHex(id) + "+" + base64(key),
          "0\n" + record + "\n" + signed,
          signed,
          root);
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** Puts it on the local internet at {@code /sums/}. */
  void serve(LocalInternet internet, String version) {
    internet.page("/sums/lookup/" + version, lookup);
    internet.page("/sums/latest", latest);
    internet.page("/sums/tile/8/0/000.p/1", tile);
  }

  private static byte[] sha256(byte[] bytes) throws GeneralSecurityException {
    return MessageDigest.getInstance("SHA-256").digest(bytes);
  }

  private static byte[] joined(byte[] one, byte[] other) {
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.writeBytes(one);
    both.writeBytes(other);
    return both.toByteArray();
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
