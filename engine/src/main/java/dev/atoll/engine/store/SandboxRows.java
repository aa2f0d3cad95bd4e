package dev.atoll.engine.store;

import dev.atoll.engine.SandboxQuery;
import dev.atoll.model.CheckpointPolicy;
import dev.atoll.model.Isolation;
import dev.atoll.model.Json;
import dev.atoll.model.NetworkMode;
import dev.atoll.model.NetworkPolicy;
import dev.atoll.model.OnIdle;
import dev.atoll.model.Page;
import dev.atoll.model.SandboxInfo;
import dev.atoll.model.SandboxState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;

/** The table of sandboxes. */
public final class SandboxRows {
  /** The states of a sandbox that has not ended. */
  public static final Set<SandboxState> LIVING =
      Set.copyOf(
          EnumSet.of(
              SandboxState.CREATING,
              SandboxState.RUNNING,
              SandboxState.PAUSED,
              SandboxState.HIBERNATED));

  private static final TypeReference<Map<String, String>> LABELS = new TypeReference<>() {};
  private static final TypeReference<List<String>> NAMES = new TypeReference<>() {};

  private final Store store;

  public SandboxRows(Store store) {
    this.store = store;
  }

  /**
   * A sandbox, whose it is, and where it is.
   *
   * @param machine what it runs in; null when it is hibernated or has ended
   * @param image what holds it while it is hibernated
   */
  public record Row(
      String project, SandboxInfo info, @Nullable String machine, @Nullable String image) {}

  /** Writes a new sandbox. */
  public void insert(String project, SandboxInfo s, @Nullable String machine) {
    store.update(
        "INSERT INTO sandboxes (id, machine, on_idle, checkpoints, fork_ahead, parent, tree, snapshot, pool, network, secrets, project, name, state, reason, template, digest, driver, isolation, cpus,"
            + " memory_mib, disk_mib, processes, env, metadata, persistent, created_at, last_used_at,"
            + " expires_at, idle_timeout, ended_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        s.id(),
        machine,
        s.onIdle().wire(),
        checkpoints(s),
        s.forkAhead(),
        s.parent(),
        s.tree(),
        s.snapshot(),
        s.pool(),
        Json.lenient().writeValueAsString(s.network()),
        Json.lenient().writeValueAsString(s.secrets()),
        project,
        s.name(),
        s.state().wire(),
        s.reason(),
        s.template(),
        s.templateDigest(),
        s.driver(),
        s.isolation().wire(),
        s.cpus(),
        s.memoryMiB(),
        s.diskMiB(),
        s.processes(),
        json(s.env()),
        json(s.metadata()),
        s.persistent() ? 1 : 0,
        s.createdAt().toEpochMilli(),
        s.lastUsedAt().toEpochMilli(),
        millis(s.expiresAt()),
        s.idleTimeoutSeconds() == null ? null : Math.round(s.idleTimeoutSeconds() * 1000),
        millis(s.endedAt()));
  }

  /** Writes what can change in the life of a sandbox. */
  public void update(SandboxInfo s) {
    store.update(
        "UPDATE sandboxes SET state=?, reason=?, env=?, metadata=?, persistent=?, last_used_at=?,"
            + " expires_at=?, idle_timeout=?, ended_at=?, on_idle=?, checkpoints=?, fork_ahead=?, snapshot=?, network=?, secrets=?"
            + " WHERE id=?",
        s.state().wire(),
        s.reason(),
        json(s.env()),
        json(s.metadata()),
        s.persistent() ? 1 : 0,
        s.lastUsedAt().toEpochMilli(),
        millis(s.expiresAt()),
        s.idleTimeoutSeconds() == null ? null : Math.round(s.idleTimeoutSeconds() * 1000),
        millis(s.endedAt()),
        s.onIdle().wire(),
        checkpoints(s),
        s.forkAhead(),
        s.snapshot(),
        Json.lenient().writeValueAsString(s.network()),
        Json.lenient().writeValueAsString(s.secrets()),
        s.id());
  }

  /** Whether that sandbox is known and has failed. */
  public boolean hasFailed(String id) {
    return !store
        .query(
            row -> row.getString(1), "SELECT id FROM sandboxes WHERE id=? AND state='failed'", id)
        .isEmpty();
  }

  /** Says where a sandbox is from now on; one of the two, or neither when it has ended. */
  public void place(String id, @Nullable String machine, @Nullable String image) {
    store.update("UPDATE sandboxes SET machine=?, image=? WHERE id=?", machine, image, id);
  }

  /** Those that go back to one first sandbox, with the ended ones that are still known. */
  public List<SandboxInfo> tree(String project, String tree) {
    return store
        .query(
            SandboxRows::read,
            "SELECT * FROM sandboxes WHERE project=? AND tree=? ORDER BY created_at, id",
            project,
            tree)
        .stream()
        .map(Row::info)
        .toList();
  }

  private static @Nullable String checkpoints(SandboxInfo s) {
    return s.checkpoints() == null ? null : Json.lenient().writeValueAsString(s.checkpoints());
  }

  public void delete(String id) {
    store.update("DELETE FROM sandboxes WHERE id=?", id);
  }

  /** By id, or by the name of a living one. */
  public Optional<SandboxInfo> find(String project, String idOrName) {
    return store
        .query(
            SandboxRows::read,
            "SELECT * FROM sandboxes WHERE project=? AND (id=? OR (name=? AND state IN ("
                + states(LIVING)
                + "))) ORDER BY id=? DESC LIMIT 1",
            project,
            idOrName,
            idOrName,
            idOrName)
        .stream()
        .map(Row::info)
        .findFirst();
  }

  /** Whether there is, or was of late, a sandbox of that id. */
  public boolean knows(String id) {
    return !store
        .query(row -> row.getString(1), "SELECT id FROM sandboxes WHERE id=?", id)
        .isEmpty();
  }

  /** All that have not ended, of all projects. */
  public List<Row> living() {
    return store.query(
        SandboxRows::read, "SELECT * FROM sandboxes WHERE state IN (" + states(LIVING) + ")");
  }

  /** Newest first. */
  public Page<SandboxInfo> list(String project, SandboxQuery query) {
    StringBuilder sql =
        new StringBuilder("SELECT * FROM sandboxes WHERE project=? AND state IN (")
            .append(states(query.states().isEmpty() ? LIVING : query.states()))
            .append(")");
    List<@Nullable Object> values = new ArrayList<>(List.of(project));
    if (query.name() != null) {
      sql.append(" AND name=?");
      values.add(query.name());
    }
    query
        .metadata()
        .forEach(
            (key, value) -> {
              sql.append(
                  " AND EXISTS (SELECT 1 FROM json_each(metadata) m WHERE m.key=? AND m.value=?)");
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
    List<SandboxInfo> found =
        store.query(SandboxRows::read, sql.toString(), values.toArray()).stream()
            .map(Row::info)
            .toList();
    if (found.size() <= query.limit()) {
      return new Page<>(found, null);
    }
    List<SandboxInfo> items = found.subList(0, query.limit());
    SandboxInfo last = items.getLast();
    return new Page<>(items, new Cursor(last.createdAt().toEpochMilli(), last.id()).encode());
  }

  /** Forgets sandboxes that ended long ago, and idempotency keys of the same age. */
  public int purge(Duration age) {
    long before = Instant.now().minus(age).toEpochMilli();
    store.update("DELETE FROM idempotency WHERE created_at < ?", before);
    return store.update("DELETE FROM sandboxes WHERE ended_at < ?", before);
  }

  static Row read(ResultSet row) throws SQLException {
    Object idle = row.getObject("idle_timeout");
    return new Row(
        row.getString("project"),
        new SandboxInfo(
            row.getString("id"),
            row.getString("name"),
            SandboxState.of(row.getString("state")),
            row.getString("reason"),
            row.getString("template"),
            row.getString("digest"),
            Isolation.of(row.getString("isolation")),
            row.getString("driver"),
            row.getDouble("cpus"),
            row.getInt("memory_mib"),
            row.getInt("disk_mib"),
            row.getInt("processes"),
            Json.lenient().readValue(row.getString("env"), LABELS),
            Json.lenient().readValue(row.getString("metadata"), LABELS),
            row.getInt("persistent") != 0,
            Instant.ofEpochMilli(row.getLong("created_at")),
            Instant.ofEpochMilli(row.getLong("last_used_at")),
            instant(row, "expires_at"),
            idle == null ? null : ((Number) idle).doubleValue() / 1000,
            instant(row, "ended_at"),
            OnIdle.of(row.getString("on_idle")),
            policy(row.getString("checkpoints")),
            row.getInt("fork_ahead"),
            row.getString("parent"),
            row.getString("tree"),
            row.getString("snapshot"),
            row.getString("pool"),
            network(row.getString("network")),
            names(row.getString("secrets"))),
        row.getString("machine"),
        row.getString("image"));
  }

  private static List<String> names(@Nullable String json) {
    return json == null ? List.of() : Json.lenient().readValue(json, NAMES);
  }

  private static NetworkPolicy network(@Nullable String json) {
    return json == null
        ? NetworkPolicy.of(NetworkMode.NONE)
        : Json.lenient().readValue(json, NetworkPolicy.class);
  }

  private static @Nullable CheckpointPolicy policy(@Nullable String json) {
    return json == null ? null : Json.lenient().readValue(json, CheckpointPolicy.class);
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    Object value = row.getObject(column);
    return value == null ? null : Instant.ofEpochMilli(((Number) value).longValue());
  }

  private static @Nullable Long millis(@Nullable Instant instant) {
    return instant == null ? null : instant.toEpochMilli();
  }

  private static String json(Map<String, String> labels) {
    return Json.lenient().writeValueAsString(labels);
  }

  private static String states(Set<SandboxState> states) {
    return states.stream().map(s -> "'" + s.wire() + "'").collect(Collectors.joining(","));
  }
}
