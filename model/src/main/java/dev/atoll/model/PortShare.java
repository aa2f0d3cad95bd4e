package dev.atoll.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A token to one port of one sandbox.
 *
 * @param token the token itself; only in the answer that creates it
 * @param url where a browser finds the port, with the token in it; only in that answer too
 */
public record PortShare(
    String id,
    int port,
    Instant createdAt,
    Instant expiresAt,
    @Nullable String token,
    @Nullable String url) {

  /** The same share with its address. */
  public PortShare withUrl(String newUrl) {
    return new PortShare(id, port, createdAt, expiresAt, token, newUrl);
  }
}
