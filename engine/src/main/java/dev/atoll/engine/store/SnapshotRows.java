package dev.atoll.engine.store;

import dev.atoll.engine.SnapshotQuery;
import dev.atoll.model.Isolation;
import dev.atoll.model.Json;
import dev.atoll.model.Page;
import dev.atoll.model.SnapshotInfo;
import dev.atoll.model.SnapshotKind;
import dev.atoll.model.SnapshotState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;

/** The table of snapshots. */
public final class SnapshotRows {
  private static final TypeReference<Map<String, String>> LABELS = new TypeReference<>() {};

  private final Store store;

  public SnapshotRows(Store store) {
    this.store = store;
  }

  /**
   * A snapshot, whose it is, and the family of sandboxes that it belongs to.
   *
   * @param tree the first sandbox of the family
   */
  public record Row(String project, String tree, SnapshotInfo info) {}

  /** How many a project has, and what they take. */
  public record Usage(long count, long bytes) {}

  public void insert(Row row) {
    SnapshotInfo s = row.info();
    store.update(
        "INSERT INTO snapshots (id, project, name, kind, state, automatic, sandbox, tree, parent, run, note,"
            + " template, digest, isolation, driver, driver_version, cpus, memory_mib, disk_mib, processes, env,"
            + " labels, created_at, total_bytes, own_bytes)"
            + " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        s.id(),
        row.project(),
        s.name(),
        s.kind().wire(),
        s.state().wire(),
        s.automatic() ? 1 : 0,
        s.sandbox(),
        row.tree(),
        s.parent(),
        s.run(),
        s.note(),
        s.template(),
        s.templateDigest(),
        s.isolation().wire(),
        s.driver(),
        s.driverVersion(),
        s.cpus(),
        s.memoryMiB(),
        s.diskMiB(),
        s.processes(),
        Json.lenient().writeValueAsString(s.env()),
        Json.lenient().writeValueAsString(s.labels()),
        s.createdAt().toEpochMilli(),
        s.totalBytes(),
        s.ownBytes());
  }

  /** Writes what becomes known when a snapshot is complete. */
  public void update(SnapshotInfo s) {
    store.update(
        "UPDATE snapshots SET state=?, total_bytes=?, own_bytes=? WHERE id=?",
        s.state().wire(),
        s.totalBytes(),
        s.ownBytes(),
        s.id());
  }

  public int delete(String id) {
    return store.update("DELETE FROM snapshots WHERE id=?", id);
  }

  /** By id or name; those still being written are not found. */
  public Optional<Row> find(String project, String idOrName) {
    return store
        .query(
            SnapshotRows::read,
            "SELECT * FROM snapshots WHERE project=? AND (id=? OR name=?) AND state='ready'"
                + " ORDER BY id=? DESC LIMIT 1",
            project,
            idOrName,
            idOrName,
            idOrName)
        .stream()
        .findFirst();
  }

  /** Of all projects and in any state. */
  public List<Row> all() {
    return store.query(SnapshotRows::read, "SELECT * FROM snapshots");
  }

  /** Those of a family, oldest first. */
  public List<SnapshotInfo> tree(String project, String tree) {
    return infos(
        "SELECT * FROM snapshots WHERE project=? AND tree=? AND state='ready' ORDER BY created_at, id",
        project,
        tree);
  }

  /** The checkpoints of all sandboxes of a family. */
  public List<SnapshotInfo> checkpointsOfTree(String tree) {
    return infos("SELECT * FROM snapshots WHERE tree=? AND automatic=1 AND state='ready'", tree);
  }

  /** The checkpoints of families of which none lives and none has failed. */
  public List<SnapshotInfo> abandonedCheckpoints() {
    return infos(
        "SELECT * FROM snapshots WHERE automatic=1 AND NOT EXISTS (SELECT 1 FROM sandboxes"
            + " WHERE sandboxes.tree=snapshots.tree AND sandboxes.state<>'terminated')");
  }

  /** The checkpoints of a sandbox, newest first. */
  public List<SnapshotInfo> checkpoints(String sandbox) {
    return infos(
        "SELECT * FROM snapshots WHERE sandbox=? AND automatic=1 AND state='ready'"
            + " ORDER BY created_at DESC, id DESC",
        sandbox);
  }

  /** Those that are older than a moment, of all projects. */
  public List<Row> before(Instant moment) {
    return store.query(
        SnapshotRows::read,
        "SELECT * FROM snapshots WHERE created_at < ? AND state='ready'",
        moment.toEpochMilli());
  }

  /** A snapshot that is complete, as far as its room on disk is concerned. */
  public record Brief(String project, String id, @Nullable String name, String digest) {}

  /** Those of a project, the oldest first. */
  public List<Brief> brief(String project) {
    return store.query(
        SnapshotRows::readBrief,
        "SELECT project, id, name, digest FROM snapshots WHERE project=? AND state='ready'"
            + " ORDER BY created_at, id",
        project);
  }

  /** Those of all projects, the oldest first. */
  public List<Brief> briefOfAll() {
    return store.query(
        SnapshotRows::readBrief,
        "SELECT project, id, name, digest FROM snapshots WHERE state='ready'"
            + " ORDER BY created_at, id");
  }

  private static Brief readBrief(ResultSet row) throws SQLException {
    return new Brief(
        row.getString("project"),
        row.getString("id"),
        row.getString("name"),
        row.getString("digest"));
  }

  public Usage usage(String project) {
    return store
        .query(
            row -> new Usage(row.getLong(1), row.getLong(2)),
            "SELECT count(*), coalesce(sum(own_bytes), 0) FROM snapshots WHERE project=? AND automatic=0",
            project)
        .getFirst();
  }

  private List<SnapshotInfo> infos(String sql, @Nullable Object... values) {
    return store.query(SnapshotRows::read, sql, values).stream().map(Row::info).toList();
  }

  /** Newest first. */
  public Page<SnapshotInfo> list(String project, SnapshotQuery query) {
    StringBuilder sql =
        new StringBuilder("SELECT * FROM snapshots WHERE project=? AND state='ready'");
    List<@Nullable Object> values = new ArrayList<>(List.of(project));
    if (query.sandbox() != null) {
      sql.append(" AND sandbox=?");
      values.add(query.sandbox());
    }
    if (query.name() != null) {
      sql.append(" AND name=?");
      values.add(query.name());
    }
    if (!query.kinds().isEmpty()) {
      sql.append(" AND kind IN (").append(kinds(query)).append(")");
    }
    if (!query.withAutomatic()) {
      sql.append(" AND automatic=0");
    }
    query
        .labels()
        .forEach(
            (key, value) -> {
              sql.append(
                  " AND EXISTS (SELECT 1 FROM json_each(labels) m WHERE m.key=? AND m.value=?)");
              values.add(key);
              values.add(value);
            });
    if (query.cursor() != null) {
      Cursor after = Cursor.decode(query.cursor());
      sql.append(" AND (created_at, id) < (?, ?)");
      values.add(after.millis());
      values.add(after.id());
    }
    sql.append(" ORDER BY created_at DESC, id DESC LIMIT ?");
    values.add(query.limit() + 1);
    List<SnapshotInfo> found = infos(sql.toString(), values.toArray());
    if (found.size() <= query.limit()) {
      return new Page<>(found, null);
    }
    List<SnapshotInfo> items = found.subList(0, query.limit());
    SnapshotInfo last = items.getLast();
    return new Page<>(items, new Cursor(last.createdAt().toEpochMilli(), last.id()).encode());
  }

  private static String kinds(SnapshotQuery query) {
    return query.kinds().stream()
        .map(SnapshotKind::wire)
        .map(kind -> "'" + kind + "'")
        .collect(Collectors.joining(","));
  }

  private static Row read(ResultSet row) throws SQLException {
    return new Row(
        row.getString("project"),
        row.getString("tree"),
        new SnapshotInfo(
            row.getString("id"),
            row.getString("name"),
            SnapshotKind.of(row.getString("kind")),
            SnapshotState.of(row.getString("state")),
            row.getInt("automatic") != 0,
            row.getString("sandbox"),
            row.getString("parent"),
            row.getString("run"),
            row.getString("note"),
            row.getString("template"),
            row.getString("digest"),
            Isolation.of(row.getString("isolation")),
            row.getString("driver"),
            row.getString("driver_version"),
            row.getDouble("cpus"),
            row.getInt("memory_mib"),
            row.getInt("disk_mib"),
            row.getInt("processes"),
            Json.lenient().readValue(row.getString("env"), LABELS),
            Json.lenient().readValue(row.getString("labels"), LABELS),
            Instant.ofEpochMilli(row.getLong("created_at")),
            row.getLong("total_bytes"),
            row.getLong("own_bytes")));
  }
}
