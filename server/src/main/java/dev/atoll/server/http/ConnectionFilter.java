package dev.atoll.server.http;

import dev.atoll.engine.ConnectionQuery;
import dev.atoll.engine.Engine;
import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import org.jspecify.annotations.Nullable;

/**
 * Which connections a caller wants to see.
 *
 * @param project the caller's own; nobody sees those of another
 * @param sandbox id; null for all of the project
 * @param verdict null for any
 */
record ConnectionFilter(
    String project, @Nullable String sandbox, @Nullable ConnectionVerdict verdict) {
  private static final int DEFAULT_LIMIT = 50;
  private static final int MAX_LIMIT = 200;

  static ConnectionFilter of(Exchange exchange, Engine engine) {
    Query query = exchange.query();
    return new ConnectionFilter(
        exchange.project(),
        sandbox(query.name("sandbox"), exchange.project(), engine),
        query.choice("verdict", ConnectionVerdict.class, ConnectionVerdict::wire));
  }

  /** The record goes by ids and outlives sandboxes; a name is that of one that lives. */
  private static @Nullable String sandbox(@Nullable String given, String project, Engine engine) {
    return given == null || given.startsWith("sbx_")
        ? given
        : engine.sandboxes().get(project, given).id();
  }

  boolean matches(Connection connection) {
    return connection.project().equals(project)
        && (sandbox == null || connection.sandbox().equals(sandbox))
        && (verdict == null || connection.verdict() == verdict);
  }

  ConnectionQuery page(Query query) {
    return new ConnectionQuery(
        (int) query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT),
        query.text("cursor"),
        sandbox,
        verdict,
        query.time("since"),
        query.time("until"));
  }
}
