package dev.atoll.engine.store;

import dev.atoll.model.Json;
import dev.atoll.model.SecretDomain;
import dev.atoll.model.SecretInfo;
import dev.atoll.model.SecretPlace;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.type.TypeReference;

/** The tables of secrets and of what signs for their domains; values come and go sealed. */
public final class SecretRows {
  private static final TypeReference<List<SecretDomain>> DOMAINS = new TypeReference<>() {};
  private static final TypeReference<List<SecretPlace>> PLACES = new TypeReference<>() {};

  private final Store store;

  public SecretRows(Store store) {
    this.store = store;
  }

  /**
   * A secret.
   *
   * @param key the id of the key that its value is sealed with
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Row(String project, SecretInfo info, String key, byte[] sealed) {}

  /**
   * A project's authority.
   *
   * @param certificate as DER
   * @param sealed its private key
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Authority(String project, byte[] certificate, String key, byte[] sealed) {}

  /** Writes a secret, new or changed. */
  public void put(Row row) {
    SecretInfo info = row.info();
    store.update(
        "INSERT INTO secrets (project, name, domains, header, query, replace_in, env, placeholder,"
            + " key, sealed, created_at, changed_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"
            + " ON CONFLICT (project, name) DO UPDATE SET domains=excluded.domains,"
            + " header=excluded.header, query=excluded.query, replace_in=excluded.replace_in,"
            + " env=excluded.env,"
            + " key=excluded.key, sealed=excluded.sealed, changed_at=excluded.changed_at",
        row.project(),
        info.name(),
        Json.lenient().writeValueAsString(info.domains()),
        info.header(),
        info.query(),
        Json.lenient().writeValueAsString(info.replaceIn()),
        info.env(),
        info.placeholder(),
        row.key(),
        row.sealed(),
        info.createdAt().toEpochMilli(),
        info.changedAt().toEpochMilli());
  }

  /** Whether there was one. */
  public boolean delete(String project, String name) {
    return store.update("DELETE FROM secrets WHERE project=? AND name=?", project, name) > 0;
  }

  /** Those of all projects. */
  public List<Row> all() {
    return store.query(SecretRows::read, "SELECT * FROM secrets ORDER BY project, name");
  }

  public void put(Authority authority) {
    store.update(
        "INSERT INTO authorities (project, certificate, key, sealed, created_at)"
            + " VALUES (?,?,?,?,?) ON CONFLICT (project) DO UPDATE SET"
            + " certificate=excluded.certificate, key=excluded.key, sealed=excluded.sealed,"
            + " created_at=excluded.created_at",
        authority.project(),
        authority.certificate(),
        authority.key(),
        authority.sealed(),
        System.currentTimeMillis());
  }

  public Optional<Authority> authority(String project) {
    return store
        .query(SecretRows::authority, "SELECT * FROM authorities WHERE project=?", project)
        .stream()
        .findFirst();
  }

  public List<Authority> authorities() {
    return store.query(SecretRows::authority, "SELECT * FROM authorities");
  }

  private static Authority authority(ResultSet row) throws SQLException {
    return new Authority(
        row.getString("project"),
        row.getBytes("certificate"),
        row.getString("key"),
        row.getBytes("sealed"));
  }

  private static Row read(ResultSet row) throws SQLException {
    return new Row(
        row.getString("project"),
        new SecretInfo(
            row.getString("name"),
            Json.lenient().readValue(row.getString("domains"), DOMAINS),
            row.getString("header"),
            row.getString("query"),
            Json.lenient().readValue(row.getString("replace_in"), PLACES),
            row.getString("env"),
            row.getString("placeholder"),
            Instant.ofEpochMilli(row.getLong("created_at")),
            Instant.ofEpochMilli(row.getLong("changed_at"))),
        row.getString("key"),
        row.getBytes("sealed"));
  }
}
