package dev.atoll.engine;

import dev.atoll.model.AtollException;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.ErrorCode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a listing of connections should hold.
 *
 * @param limit at most so many on a page, 1 to 200
 * @param cursor where the page before ended
 * @param sandbox id; null for all of the project
 * @param verdict null for any
 * @param since the earliest to show; null for no bound
 * @param until later ones are left out; null for no bound
 */
public record ConnectionQuery(
    int limit,
    @Nullable String cursor,
    @Nullable String sandbox,
    @Nullable ConnectionVerdict verdict,
    @Nullable Instant since,
    @Nullable Instant until) {
  public ConnectionQuery {
    if (limit < 1 || limit > 200) {
      throw new AtollException(
          ErrorCode.INVALID_ARGUMENT, "limit is " + limit + ", must be between 1 and 200");
    }
  }

  /** The newest of a sandbox. */
  public static ConnectionQuery of(String sandbox) {
    return new ConnectionQuery(200, null, sandbox, null, null, null);
  }
}
