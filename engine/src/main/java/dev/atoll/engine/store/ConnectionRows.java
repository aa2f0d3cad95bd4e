package dev.atoll.engine.store;

import dev.atoll.engine.ConnectionQuery;
import dev.atoll.model.Connection;
import dev.atoll.model.ConnectionVerdict;
import dev.atoll.model.ConnectionWay;
import dev.atoll.model.Page;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table of connections. */
public final class ConnectionRows {
  private final Store store;

  public ConnectionRows(Store store) {
    this.store = store;
  }

  /** Writes them as one; those that were there as open are brought up to date. */
  public void write(Collection<Connection> connections) {
    store.transaction(() -> connections.forEach(this::write));
  }

  private void write(Connection c) {
    store.update(
        "INSERT INTO connections (id, time, sandbox, project, name, address, port, way, verdict, rule, reason,"
            + " sent, received, duration, secrets) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
            + " ON CONFLICT (id) DO UPDATE SET verdict=excluded.verdict, rule=excluded.rule,"
            + " reason=excluded.reason, sent=excluded.sent, received=excluded.received,"
            + " duration=excluded.duration, secrets=excluded.secrets",
        c.id(),
        c.time().toEpochMilli(),
        c.sandbox(),
        c.project(),
        c.name(),
        c.address(),
        c.port(),
        c.way().wire(),
        c.verdict().wire(),
        c.rule(),
        c.reason(),
        c.bytesSent(),
        c.bytesReceived(),
        c.durationMillis(),
        c.secrets() == null ? null : String.join(",", c.secrets()));
  }

  /** Ends what an earlier process of the server had open; says how many. */
  public int endOpen(String reason) {
    return store.update(
        "UPDATE connections SET duration=0, reason=? WHERE duration IS NULL", reason);
  }

  /** Bytes of a sandbox both ways in connections that began since then. */
  public long bytesOfSandbox(String sandbox, Instant since) {
    return bytes("sandbox", sandbox, since);
  }

  /** Bytes of a project both ways in connections that began since then. */
  public long bytesOfProject(String project, Instant since) {
    return bytes("project", project, since);
  }

  /** What passes by signed URLs is no traffic of the sandbox's own. */
  private long bytes(String column, String value, Instant since) {
    return store
        .query(
            row -> row.getLong(1),
            "SELECT coalesce(sum(sent + received), 0) FROM connections WHERE "
                + column
                + "=? AND time >= ? AND way <> ?",
            value,
            since.toEpochMilli(),
            ConnectionWay.FILE_URL.wire())
        .getFirst();
  }

  /** Newest first. */
  public Page<Connection> list(String project, ConnectionQuery query) {
    StringBuilder sql = new StringBuilder("SELECT * FROM connections WHERE project=?");
    List<@Nullable Object> values = new ArrayList<>(List.of(project));
    add(sql, values, " AND sandbox=?", query.sandbox());
    add(sql, values, " AND verdict=?", query.verdict() == null ? null : query.verdict().wire());
    add(sql, values, " AND time >= ?", query.since() == null ? null : query.since().toEpochMilli());
    add(sql, values, " AND time < ?", query.until() == null ? null : query.until().toEpochMilli());
    if (query.cursor() != null) {
      Cursor after = Cursor.decode(query.cursor());
      sql.append(" AND (time, id) < (?, ?)");
      values.add(after.millis());
      values.add(after.id());
    }
    sql.append(" ORDER BY time DESC, id DESC LIMIT ?");
    values.add(query.limit() + 1);
    List<Connection> found = store.query(ConnectionRows::read, sql.toString(), values.toArray());
    if (found.size() <= query.limit()) {
      return new Page<>(found, null);
    }
    List<Connection> items = found.subList(0, query.limit());
    Connection last = items.getLast();
    return new Page<>(items, new Cursor(last.time().toEpochMilli(), last.id()).encode());
  }

  private static void add(
      StringBuilder sql, List<@Nullable Object> values, String condition, @Nullable Object value) {
    if (value != null) {
      sql.append(condition);
      values.add(value);
    }
  }

  /**
   * Forgets the old ones and, beyond the most that are kept, the oldest. Deletes a bounded number
   * at once so that nobody waits long; says how many.
   */
  public int purge(Instant before, int most, int atOnce) {
    int old =
        store.update(
            "DELETE FROM connections WHERE id IN (SELECT id FROM connections WHERE time < ?"
                + " ORDER BY time LIMIT ?)",
            before.toEpochMilli(),
            atOnce);
    return old
        + store.update(
            "DELETE FROM connections WHERE id IN (SELECT id FROM connections ORDER BY time"
                + " LIMIT min(?, max(0, (SELECT count(*) FROM connections) - ?)))",
            atOnce,
            most);
  }

  private static @Nullable List<String> names(@Nullable String joined) {
    return joined == null ? null : List.of(joined.split(",", -1));
  }

  private static Connection read(ResultSet row) throws SQLException {
    Object duration = row.getObject("duration");
    return new Connection(
        row.getString("id"),
        Instant.ofEpochMilli(row.getLong("time")),
        row.getString("sandbox"),
        row.getString("project"),
        row.getString("name"),
        row.getString("address"),
        row.getInt("port"),
        ConnectionWay.of(row.getString("way")),
        ConnectionVerdict.of(row.getString("verdict")),
        row.getString("rule"),
        row.getString("reason"),
        row.getLong("sent"),
        row.getLong("received"),
        duration == null ? null : ((Number) duration).longValue(),
        names(row.getString("secrets")));
  }
}
