package dev.atoll.engine.image;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The key that a server signs its exports with (Ed25519). Two files: {@code snapshots.key},
 * readable for its owner alone, and {@code snapshots.pub}, which other servers may be given. Made
 * when it is first needed. Thread-safe.
 */
public final class ExportKey {
  static final int SIGNATURE_BYTES = 64;

  private static final String ALGORITHM = "Ed25519";

  /** So that a signature of an export is one of nothing else. */
  private static final byte[] LABEL =
      "atoll snapshot export 1\0".getBytes(StandardCharsets.US_ASCII);

  private final Path secretFile;
  private final Path publicFile;
  private @Nullable Pair pair;

  /**
   * @param folder where the files are; no other user of the host may reach it
   */
  public ExportKey(Path folder) {
    this.secretFile = folder.resolve("snapshots.key");
    this.publicFile = folder.resolve("snapshots.pub");
  }

  private record Pair(PrivateKey secret, String known) {}

  /** What others know this server by: one line of Base64. */
  public String publicKey() throws IOException {
    return pair().known();
  }

  byte[] sign(byte[] digest) throws IOException {
    try {
      Signature signature = Signature.getInstance(ALGORITHM);
      signature.initSign(pair().secret());
      signature.update(LABEL);
      signature.update(digest);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IOException("the key of exports, " + secretFile + ", cannot be used", e);
    }
  }

  /** Whether whoever has that key has signed this. */
  static boolean verify(String publicKey, byte[] digest, byte[] signed) {
    try {
      byte[] encoded = Base64.getDecoder().decode(publicKey);
      PublicKey key =
          KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(encoded));
      Signature signature = Signature.getInstance(ALGORITHM);
      signature.initVerify(key);
      signature.update(LABEL);
      signature.update(digest);
      // Of one key there is one text, which servers are known by.
      return Base64.getEncoder().encodeToString(key.getEncoded()).equals(publicKey)
          && signature.verify(signed);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      return false;
    }
  }

  private synchronized Pair pair() throws IOException {
    if (pair == null) {
      try {
        if (!Files.exists(secretFile)) {
          make();
        }
        pair = read();
      } catch (GeneralSecurityException | IllegalArgumentException e) {
        throw new IOException("the key of exports, " + secretFile + ", is damaged", e);
      }
    }
    return pair;
  }

  private Pair read() throws IOException, GeneralSecurityException {
    List<String> lines = Files.readAllLines(secretFile, StandardCharsets.US_ASCII);
    if (lines.size() != 2) {
      throw new GeneralSecurityException("two lines are needed");
    }
    PrivateKey secret =
        KeyFactory.getInstance(ALGORITHM)
            .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(lines.get(0))));
    return new Pair(secret, lines.get(1).strip());
  }

  private void make() throws IOException, GeneralSecurityException {
    KeyPair made = KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair();
    Base64.Encoder base64 = Base64.getEncoder();
    String known = base64.encodeToString(made.getPublic().getEncoded());
    String secret = base64.encodeToString(made.getPrivate().getEncoded());
    write(publicFile, known + "\n", "rw-r--r--");
    write(secretFile, secret + "\n" + known + "\n", "rw-------");
  }

  /** Written aside, synced and renamed; with its permissions from the start. */
  private static void write(Path file, String text, String permissions) throws IOException {
    Path aside = file.resolveSibling("." + file.getFileName() + ".new");
    Files.deleteIfExists(aside);
    try (FileChannel channel =
        FileChannel.open(
            aside,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)))) {
      ByteBuffer bytes = StandardCharsets.US_ASCII.encode(text);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
