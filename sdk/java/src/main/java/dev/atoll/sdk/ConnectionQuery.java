package dev.atoll.sdk;

import dev.atoll.model.ConnectionVerdict;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Which connections to show; all of the project when nothing is said. */
public final class ConnectionQuery {
  private @Nullable String sandbox;
  private @Nullable ConnectionVerdict verdict;
  private @Nullable Instant since;
  private @Nullable Instant until;
  private int pageSize = 100;

  ConnectionQuery() {}

  /** Those of a sandbox: its id, or its name while it lives. */
  public ConnectionQuery sandbox(String idOrName) {
    sandbox = idOrName;
    return this;
  }

  /** Those that came to this. */
  public ConnectionQuery verdict(ConnectionVerdict only) {
    verdict = only;
    return this;
  }

  /** The earliest to show. */
  public ConnectionQuery since(Instant time) {
    since = time;
    return this;
  }

  /** Only those before. */
  public ConnectionQuery until(Instant time) {
    until = time;
    return this;
  }

  /** How many to fetch with one call. */
  public ConnectionQuery pageSize(int size) {
    pageSize = size;
    return this;
  }

  ApiRequest page(String path, @Nullable String cursor) {
    return page(path, cursor, since);
  }

  /** A page of what came after another moment than the query's own. */
  ApiRequest page(String path, @Nullable String cursor, @Nullable Instant after) {
    return filtered(path)
        .query("limit", pageSize)
        .query("cursor", cursor)
        .query("since", after)
        .query("until", until);
  }

  ApiRequest following(String path) {
    return filtered(path).query("follow", true).accept(ApiRequest.NDJSON);
  }

  private ApiRequest filtered(String path) {
    return ApiRequest.get(path)
        .query("sandbox", sandbox)
        .query("verdict", verdict == null ? null : verdict.wire());
  }
}
