package dev.atoll.engine;

import dev.atoll.engine.file.GuestProgram;
import dev.atoll.engine.guest.Guest;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Lets programs of a guest trust their project's authority: it becomes one of the system's
 * certificates, as an administrator of the guest would add it.
 */
final class GuestTrust {
  /** The certificate alone, for programs that have a bundle of their own. */
  private static final String CERTIFICATE = "/usr/local/share/ca-certificates/atoll-project.crt";

  private static final Duration DEADLINE = Duration.ofSeconds(30);

  /**
   * Adds what comes on stdin to the bundle and to the folder that OpenSSL looks into. Does nothing
   * the second time. {@code update-ca-certificates} would do, but drops from the bundle what the
   * template has taken over from the host.
   */
  private static final String SCRIPT =
      """
      set -e
      file=%s
      certs=/etc/ssl/certs
      mkdir -p "${file%%/*}" "$certs"
      cat > "$file.new"
      if cmp -s "$file.new" "$file"; then rm "$file.new"; exit 0; fi
      mv "$file.new" "$file"
      { cat "$certs/ca-certificates.crt" 2>/dev/null || true; cat "$file"; } > "$certs/.atoll.new"
      mv "$certs/.atoll.new" "$certs/ca-certificates.crt"
      if [ -x /usr/bin/openssl ]; then
        ln -sf "$file" "$certs/$(/usr/bin/openssl x509 -noout -subject_hash -in "$file").0"
      fi
      """
          .formatted(CERTIFICATE);

  private GuestTrust() {}

  static void add(Guest guest, String certificate) {
    try (GuestProgram program =
        GuestProgram.start(guest, List.of("/bin/sh", "-c", SCRIPT), code -> code == 0, DEADLINE)) {
      program.feed(new ByteArrayInputStream(certificate.getBytes(StandardCharsets.US_ASCII)));
      program.finish();
    } catch (IOException e) {
      throw new AtollException(
          ErrorCode.SANDBOX_FAILED,
          "the sandbox cannot be made to trust the domains of its secrets: " + e.getMessage(),
          "its template has to allow root, see docs/secrets.md",
          Map.of(),
          e);
    }
  }
}
