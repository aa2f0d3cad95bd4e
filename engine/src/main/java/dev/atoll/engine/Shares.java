package dev.atoll.engine;

import dev.atoll.engine.store.PortRows;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.PortShare;
import dev.atoll.model.ShareRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Tokens to ports of sandboxes and to services. They are random, as API keys are, and only their
 * hash is kept.
 */
public final class Shares {
  private static final String TOKEN = "apt_";
  private static final int MOST = 1000;

  private final PortRows rows;

  Shares(PortRows rows) {
    this.rows = rows;
  }

  /**
   * Makes a token; it is in this answer and nowhere else.
   *
   * @param id the sandbox or service that it opens
   */
  public PortShare create(String id, ShareRequest request) {
    Instant now = Instant.now();
    if (rows.shares(id, now).size() >= MOST) {
      throw new AtollException(
          ErrorCode.QUOTA_EXCEEDED,
          "there are " + MOST + " shares of it",
          "revoke some of them",
          Map.of("limit", MOST),
          null);
    }
    String token = Tokens.next(TOKEN);
    PortShare share =
        new PortShare(
            Ids.share(),
            request.port(),
            Instant.ofEpochMilli(now.toEpochMilli()),
            now.plusMillis(Math.round(request.lifetime() * 1000)),
            token,
            null);
    rows.insert(id, share, Tokens.hash(token));
    return share;
  }

  /** The tokens that are still good, without themselves. */
  public List<PortShare> list(String id) {
    return rows.shares(id, Instant.now());
  }

  /** Makes a token worthless from the next connection on. */
  public void revoke(String id, String share, String hint) {
    if (!rows.delete(id, share)) {
      throw new AtollException(ErrorCode.NOT_FOUND, "there is no share " + share, hint);
    }
  }

  /** What a token opens; empty when it is unknown, expired or revoked. */
  public Optional<PortRows.Opened> opens(String token) {
    return token.startsWith(TOKEN)
        ? rows.find(Tokens.hash(token), Instant.now())
        : Optional.empty();
  }
}
