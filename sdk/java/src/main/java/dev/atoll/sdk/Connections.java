package dev.atoll.sdk;

import dev.atoll.model.Connection;
import java.util.function.Consumer;

/**
 * The record of what the project's sandboxes wanted from the network: what they reached, what they
 * were refused and why. It outlives the sandboxes.
 */
public final class Connections {
  static final String PATH = "/v1/connections";

  private final Api api;

  Connections(Api api) {
    this.api = api;
  }

  /** All connections on record, newest first; pages are fetched as needed. */
  public Pages<Connection> list() {
    return list(query -> {});
  }

  /**
   * The connections of a query, newest first: {@code list(q ->
   * q.sandbox("lab").verdict(ConnectionVerdict.REFUSED))}.
   */
  public Pages<Connection> list(Consumer<ConnectionQuery> query) {
    ConnectionQuery chosen = new ConnectionQuery();
    query.accept(chosen);
    return new Pages<>(cursor -> api.page(chosen.page(PATH, cursor), Connection.class));
  }

  /** Everything from now on, while it happens. */
  public ConnectionFeed follow() {
    return follow(query -> {});
  }

  /**
   * What happens from now on, as far as it is of the query's sandbox and verdict. {@code since} and
   * {@code until} have no meaning here.
   */
  public ConnectionFeed follow(Consumer<ConnectionQuery> query) {
    ConnectionQuery chosen = new ConnectionQuery();
    query.accept(chosen);
    return new ConnectionFeed(api, chosen);
  }
}
