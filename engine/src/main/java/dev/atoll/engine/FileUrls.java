package dev.atoll.engine;

import dev.atoll.engine.net.ConnectionLog;
import dev.atoll.engine.secret.UrlSigner;
import dev.atoll.engine.store.FileUrlRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.FileUrlRequest;
import java.time.Instant;
import java.util.Objects;

/**
 * Signed URLs, by which somebody without a key reads or writes one file of one sandbox for a while.
 *
 * <p>Nothing is kept of a URL: it holds what it is good for, and a signature of that, of the
 * project, and of a random nonce of the sandbox. The nonce goes when the sandbox ends or goes back
 * to a kept state, in the same transaction, and when somebody revokes its URLs. So no URL outlives
 * what it was made for, and none that has been used is good for writing the same again into a past
 * that it had no part in.
 */
public final class FileUrls {
  private static final int NONCE_BYTES = 16;
  private static final int ATTEMPTS = 10;

  private final UrlSigner signer;
  private final FileUrlRows rows;
  private final Registry registry;
  private final Sandboxes sandboxes;
  private final ConnectionLog log;

  FileUrls(
      UrlSigner signer,
      FileUrlRows rows,
      Registry registry,
      Sandboxes sandboxes,
      ConnectionLog log) {
    this.signer = signer;
    this.rows = rows;
    this.registry = registry;
    this.sandboxes = sandboxes;
    this.log = log;
  }

  /** A claim and its signature. */
  public record Signed(FileUrlClaim claim, String signature) {}

  /** Signs; the sandbox is not asked whether it has such a file, and need not be awake. */
  public Signed sign(String project, String idOrName, FileUrlRequest request) {
    String sandbox = registry.require(project, idOrName).id();
    long expires =
        Math.ceilDiv(Instant.now().toEpochMilli() + Math.round(request.lifetime() * 1000), 1000);
    FileUrlClaim claim =
        new FileUrlClaim(sandbox, request.method(), request.path(), expires, request.maxBytes());
    return new Signed(claim, signer.sign(claim.signed(project, nonce(sandbox))));
  }

  private String nonce(String sandbox) {
    for (int i = 0; i < ATTEMPTS; i++) {
      rows.offer(sandbox, Tokens.hex(NONCE_BYTES));
      String found = rows.find(sandbox).orElse(null);
      if (found != null) {
        return found;
      }
    }
    throw new AtollException(
        ErrorCode.CONFLICT, "the URLs of " + sandbox + " are being revoked", "try again");
  }

  /** Makes all URLs of a sandbox worthless; transfers that have begun go on. */
  public void revoke(String project, String idOrName) {
    rows.delete(registry.require(project, idOrName).id());
  }

  /**
   * The project of a sandbox, for who shows a good signature of it.
   *
   * @throws AtollException {@link ErrorCode#UNAUTHENTICATED}; that a URL has expired is said only
   *     to who has one that was good
   */
  public String admit(FileUrlClaim claim, String signature) {
    LiveSandbox sandbox = registry.live(claim.sandbox());
    String nonce = sandbox == null ? null : rows.find(claim.sandbox()).orElse(null);
    if (nonce == null
        || !signer.verify(
            claim.signed(Objects.requireNonNull(sandbox).project(), nonce), signature)) {
      throw refused("this URL is not good, or no longer");
    }
    if (!Instant.now().isBefore(claim.expiresAt())) {
      throw refused("this URL has expired");
    }
    return sandbox.project();
  }

  private static AtollException refused(String message) {
    return new AtollException(
        ErrorCode.UNAUTHENTICATED,
        message,
        "Ask whoever gave it to you for a new one. A URL is good for one method, path and sandbox,"
            + " until it expires or the sandbox ends or is rewound.");
  }

  /**
   * Begins to use a URL, which the record shows; a hibernated sandbox wakes.
   *
   * @param from the address that it is used from
   * @throws AtollException as {@link #admit} does
   */
  public FileUrlUse use(FileUrlClaim claim, String signature, String from) {
    String project = admit(claim, signature);
    SandboxFiles files = sandboxes.files(project, claim.sandbox());
    // It may have gone back to a kept state in between. From here on it cannot: the files are
    // those of the machine that is here now.
    String _ = admit(claim, signature);
    return new FileUrlUse(log, files, project, claim, from);
  }

  void purge() {
    rows.purge();
  }
}
