package dev.atoll.engine;

import dev.atoll.model.FileUrlMethod;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a URL says that it is good for.
 *
 * @param sandbox an id; a name may be another sandbox's tomorrow
 * @param path to the letter as it was signed
 * @param expires the second since 1970 from which on it is worthless
 * @param maxBytes how large an upload may be; null for no limit of its own
 */
public record FileUrlClaim(
    String sandbox, FileUrlMethod method, String path, long expires, @Nullable Long maxBytes) {

  /** When it stops to be good. */
  public Instant expiresAt() {
    return Instant.ofEpochSecond(expires);
  }

  /**
   * What is signed: each text with its length before it, so that no two claims have the same bytes.
   */
  byte[] signed(String project, String nonce) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      for (String text : new String[] {project, sandbox, nonce, method.wire(), path}) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(encoded.length);
        out.write(encoded);
      }
      out.writeLong(expires);
      out.writeLong(maxBytes == null ? -1 : maxBytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
