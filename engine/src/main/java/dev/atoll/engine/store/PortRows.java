package dev.atoll.engine.store;

import dev.atoll.model.PortShare;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The tables of public ports and of shares. */
public final class PortRows {
  private static final String OF_THE_DEAD =
      " sandbox NOT IN (SELECT id FROM sandboxes WHERE ended_at IS NULL)"
          + " AND sandbox NOT IN (SELECT id FROM services)";

  private final Store store;

  public PortRows(Store store) {
    this.store = store;
  }

  /**
   * What a token opens.
   *
   * @param sandbox or a service
   */
  public record Opened(String sandbox, int port) {}

  public boolean isPublic(String sandbox, int port) {
    return !store
        .query(
            row -> row.getInt("port"),
            "SELECT port FROM public_ports WHERE sandbox=? AND port=?",
            sandbox,
            port)
        .isEmpty();
  }

  public List<Integer> publicPorts(String sandbox) {
    return store.query(
        row -> row.getInt("port"), "SELECT port FROM public_ports WHERE sandbox=?", sandbox);
  }

  public void setPublic(String sandbox, int port, boolean open) {
    store.update(
        open
            ? "INSERT OR IGNORE INTO public_ports (sandbox, port) VALUES (?,?)"
            : "DELETE FROM public_ports WHERE sandbox=? AND port=?",
        sandbox,
        port);
  }

  public void insert(String sandbox, PortShare share, String hash) {
    store.update(
        "INSERT INTO port_shares (id, sandbox, port, hash, created_at, expires_at) VALUES (?,?,?,?,?,?)",
        share.id(),
        sandbox,
        share.port(),
        hash,
        share.createdAt().toEpochMilli(),
        share.expiresAt().toEpochMilli());
  }

  /** What the token of that hash opens, if it is still good. */
  public Optional<Opened> find(String hash, Instant now) {
    return store
        .query(
            row -> new Opened(row.getString("sandbox"), row.getInt("port")),
            "SELECT sandbox, port FROM port_shares WHERE hash=? AND expires_at > ?",
            hash,
            now.toEpochMilli())
        .stream()
        .findFirst();
  }

  /** Those that are still good, the oldest first. */
  public List<PortShare> shares(String sandbox, Instant now) {
    return store.query(
        PortRows::read,
        "SELECT * FROM port_shares WHERE sandbox=? AND expires_at > ? ORDER BY created_at, id",
        sandbox,
        now.toEpochMilli());
  }

  public boolean delete(String sandbox, String id) {
    return store.update("DELETE FROM port_shares WHERE sandbox=? AND id=?", sandbox, id) > 0;
  }

  /** Forgets tokens that have expired, and whatever belongs to what has ended. */
  public void purge(Instant now) {
    store.update("DELETE FROM port_shares WHERE expires_at <= ?", now.toEpochMilli());
    store.update("DELETE FROM port_shares WHERE" + OF_THE_DEAD);
    store.update("DELETE FROM public_ports WHERE" + OF_THE_DEAD);
  }

  private static PortShare read(ResultSet row) throws SQLException {
    return new PortShare(
        row.getString("id"),
        row.getInt("port"),
        Instant.ofEpochMilli(row.getLong("created_at")),
        Instant.ofEpochMilli(row.getLong("expires_at")),
        null,
        null);
  }
}
